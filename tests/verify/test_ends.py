"""Everything that is started has an end: an interpreter that does not answer, a run that is ended however that is done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scanlint.verify import installed_packages
from scanlint.verify.asked import asked
from scanlint.verify.interpreter import VerifierUnavailable
from scanlint.verify.verifier import Task, Verifier
from scanlint.verify.worker.session.watch import Watch
from tests.processes import PATIENCE, at_home, settled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what runs is looked up in /proc")

Write = Callable[[str, str], str]
LOOP = """\
import jax
import jax.numpy as jnp
{top}

@jax.jit
def rollout(state):
    for t in range(50):
        state = jnp.sin(state) * 2.0 + jnp.cos(state) * t
    return state
"""
ENDLESS = "while True:\n    pass\n"


@pytest.fixture
def script(tmp_path: Path) -> Write:
    def write(name: str, text: str) -> str:
        file = tmp_path / name
        file.write_text(text)
        file.chmod(0o755)
        return str(file)

    return write


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder that is the home of all that a test starts; nothing of that is left afterwards."""
    folder = tmp_path / "home"
    folder.mkdir()
    yield folder
    for process in at_home(folder):
        os.kill(process, signal.SIGKILL)


def begun(project: Path, home: Path, *words: str) -> subprocess.Popen[bytes]:
    root = str(Path(installed_packages.__file__).parents[2])
    return subprocess.Popen(
        [sys.executable, "-m", "scanlint", *words],
        cwd=project,
        env={**os.environ, "HOME": str(home), "PYTHONPATH": root},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


TASK = Task("a.py", "f", "def f(x): return x", "def f(x): return x", "/", "/a.py")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("#!/bin/sh\nexec sleep 300\n", id="an interpreter that sleeps"),
        pytest.param("#!/bin/sh\nsleep 300\n", id="a wrapper whose child sleeps"),
        pytest.param(f"#!{sys.executable}\n{ENDLESS}", id="an interpreter that computes without end"),
        pytest.param(
            f"#!{sys.executable}\nimport signal, time\nsignal.signal(15, signal.SIG_IGN)\ntime.sleep(300)\n",
            id="an interpreter that heeds no signal",
        ),
    ],
)
def test_an_interpreter_that_does_not_answer_is_ended_with_all_that_it_started(
    text: str, script: Write, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("scanlint.verify.verifier.LEAST_START_SECONDS", 1.0)
    before = time.monotonic()
    with Verifier(script("python", text), timeout=0.1) as verifier, pytest.raises(VerifierUnavailable) as said:
        verifier.verify(TASK)
    assert "did not answer within 1 s" in str(said.value)
    assert time.monotonic() - before < PATIENCE
    assert settled(home, lambda count: count == 0) == 0


def test_a_jax_whose_import_never_ends_is_an_interpreter_that_does_not_answer(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fake" / "jax").mkdir(parents=True)
    (tmp_path / "fake" / "jax" / "__init__.py").write_text("import time\ntime.sleep(300)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "fake"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("scanlint.verify.verifier.LEAST_START_SECONDS", 2.0)
    with Verifier(sys.executable, timeout=0.1) as verifier, pytest.raises(VerifierUnavailable, match="did not answer"):
        verifier.verify(TASK)
    assert settled(home, lambda count: count == 0) == 0


def test_what_is_asked_in_a_moment_is_ended_with_its_children(
    script: Write, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(subprocess.TimeoutExpired):
        asked([script("wrapper", "#!/bin/sh\nsleep 300\n")], 0.5)
    assert settled(home, lambda count: count == 0) == 0


def test_an_interpreter_is_not_given_what_is_meant_for_us(script: Write) -> None:
    assert asked([script("reader", "#!/bin/sh\nread line\necho got $line\n")], PATIENCE).stdout == "got\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP], ids=lambda n: n.name)
def test_the_worker_ends_with_the_run_however_that_ends(number: signal.Signals, tmp_path: Path, home: Path) -> None:
    (tmp_path / "loop.py").write_text(LOOP.format(top=ENDLESS))
    run = begun(tmp_path, home, "--fix", "--no-cache", "--verify-timeout", "300", "loop.py")
    assert settled(home, lambda count: count >= 3) >= 3, "the run, its worker and the task"
    run.send_signal(number)
    assert run.wait(PATIENCE) in (128 + number, -number)
    assert settled(home, lambda count: count == 0) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda n: n.name)
def test_a_worker_that_is_still_starting_ends_with_the_run(
    number: signal.Signals, tmp_path: Path, home: Path, script: Write
) -> None:
    (tmp_path / "fake" / "jax").mkdir(parents=True)
    (tmp_path / "fake" / "jax" / "__init__.py").write_text("import time\ntime.sleep(300)\n")
    (tmp_path / "loop.py").write_text(LOOP.format(top=""))
    wrapper = script("python", f'#!/bin/sh\nPYTHONPATH={tmp_path}/fake {sys.executable} "$@"\n')
    run = begun(tmp_path, home, "--fix", "--no-cache", "--verify-timeout", "300", "--python", wrapper, "loop.py")
    assert settled(home, lambda count: count >= 3) >= 3, "the run, the wrapper and the worker"
    time.sleep(1.0)
    run.send_signal(number)
    run.wait(PATIENCE)
    assert settled(home, lambda count: count == 0) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=lambda n: n.name)
def test_those_who_analyse_end_with_the_run(number: signal.Signals, tmp_path: Path, home: Path) -> None:
    for place in range(8):
        lines = [
            f"def f{place}_{n}(x):\n    for t in range(x):\n        x = x + t * {n}\n    return x\n"
            for n in range(4000)
        ]
        (tmp_path / f"large{place}.py").write_text("import jax\n" + "\n".join(lines))
    run = begun(tmp_path, home, "--no-cache", "--jobs", "2", ".")
    assert settled(home, lambda count: count >= 3) >= 3, "the run and two processes"
    run.send_signal(number)
    run.wait(PATIENCE)
    assert settled(home, lambda count: count == 0) == 0


def test_a_verdict_stands_where_there_is_no_time_to_measure(tmp_path: Path) -> None:
    watch = Watch(os.getpid(), "token", 1.0, str(tmp_path))
    watch.feed(b'token {"stage": "measuring"}\ntoken {"kept": {"verdict": "proved", "notes": ["by induction"]}}\n')
    watch.over = "timed out after 1 s"
    answer = watch.verdict("")
    assert answer["verdict"] == "proved"
    assert answer["notes"] == ["by induction", "not measured: timed out after 1 s while measuring"]


@pytest.mark.parametrize(("busy", "verdict"), [(True, "refuted"), (False, "unknown")])
def test_what_did_not_end_is_refuted_where_it_ran_all_that_time(busy: bool, verdict: str, tmp_path: Path) -> None:
    watch = Watch(os.getpid(), "token", 1.0, str(tmp_path), endless="did not end", busy=busy)
    watch.stage = "running the new version on ones (the old one took 0.10 s)"
    answer = watch.verdict("")
    assert (answer["verdict"], answer["endless"]) == (verdict, True), "tried once more in both cases"
