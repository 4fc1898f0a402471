"""Several processes: what becomes of them when one of them, or the one that started them, ends before its time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import venv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Timer

import pytest

from scanlint.engine.session import check
from scanlint.engine.tasks import Place, SliceTask
from scanlint.engine.team import executor, pool
from scanlint.problem import Problem
from scanlint.project.files import shown
from scanlint.project.summary import ModuleNames
from scanlint.settings import Settings

ROOT = Path(pool.__file__).parents[1]
LOOP = """\
import jax
import jax.numpy as jnp


@jax.jit
def f(x):
    for t in range({trips}):
        x = jnp.sin(x) * 2.0 + jnp.cos(x) * t
    return x
"""
POOL = """\
import time
from scanlint.engine.team.pool import Pool
from scanlint.problem import Problem
from scanlint.settings import Settings
pool = Pool(3, Settings(), print)
print("started", flush=True)
time.sleep(60)
"""


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    for number in range(20):
        (tmp_path / f"loop{number}.py").write_text(LOOP.format(trips=100 + number))
    return sorted(tmp_path.glob("*.py"))


@pytest.fixture
def two() -> Iterator[pool.Pool]:
    made = pool.Pool(2, Settings(cache=False), print)
    yield made
    made.close()


def survey(two: pool.Pool, files: list[Path]) -> list[Place]:
    """What is needed to analyse the files."""
    names = ModuleNames()
    surveyed = [made for made, _ in two.survey(files)]
    assert [made.error for made in surveyed] == [None] * len(files)
    return [
        Place(names.name(file)[0], file, shown(file), False, made.digest)
        for file, made in zip(files, surveyed, strict=True)
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGKILL"])
def test_no_process_outlives_the_one_that_started_it(number: str) -> None:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    words = [sys.executable, "-c", POOL]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(getattr(signal, number))
        assert process.communicate(timeout=20) == ("", None)  # the pipe is closed when the last one has ended


def test_a_process_that_ended_between_its_tasks_leaves_them_to_the_others(two: pool.Pool, files: list[Path]) -> None:
    places = survey(two, files)
    two.workers[0].process.kill()
    two.workers[0].process.join()
    two.shelve(places, {})
    slices = list(two.analyse([SliceTask((place.name,)) for place in places]))
    assert [[hit.finding.trips for hit in found.hits] for found in slices] == [
        [100 + int(place.name.removeprefix("loop"))] for place in places
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_task_that_ends_its_process_is_a_problem_and_no_other_is_lost(two: pool.Pool, files: list[Path]) -> None:
    places = survey(two, files)
    two.shelve(places, {})
    process = two.workers[0].process
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)  # it is asked, and does not answer
    Timer(0.5, process.kill).start()
    slices = list(two.analyse([SliceTask((place.name,)) for place in places]))
    (lost,) = [number for number, found in enumerate(slices) if found.problems]
    assert slices[lost].problems == (Problem(places[lost].display, 0, "its analysis ended a process (-9)"),)
    assert [number for number, found in enumerate(slices) if not found.hits] == [lost]


@pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux alone")
@pytest.mark.parametrize("lines, method", [("", "fork"), ("import jax; jax.numpy.ones(3) + 1", "spawn")])
def test_a_process_forks_only_without_threads_and_jax_has_some(lines: str, method: str) -> None:
    """JAX's threads are none that Python counts."""
    code = f"from scanlint.engine.team.pool import context_of\n{lines}\nprint(context_of().get_start_method())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.returncode) == (f"{method}\n", 0), done.stderr


def test_processes_that_are_not_forked_say_what_one_says(
    tmp_path: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(root=tmp_path, cache=False, jobs=1)
    alone = check([tmp_path], settings)
    monkeypatch.setattr(executor, "ENOUGH", 1)
    monkeypatch.setattr(pool, "context_of", lambda: multiprocessing.get_context("spawn"))
    several = check([tmp_path], replace(settings, jobs=2))
    assert len(alone.findings) == len(files)
    assert (several.findings, several.problems) == (alone.findings, ())


NAMES = ["multiprocessing", "pickle", "select", "struct", "queue", "tempfile", "json", "libcst", "jax"]
SPAWNED = """
import multiprocessing
from pathlib import Path
from scanlint.engine.team import executor, pool
from scanlint.engine.session import check
from scanlint.problem import Problem
from scanlint.settings import Settings
if __name__ == "__main__":
    executor.ENOUGH = 1
    pool.context_of = lambda: multiprocessing.get_context("spawn")
    outcome = check([Path("src")], Settings(root=Path("."), cache=False, jobs=2))
    print(len(outcome.findings), outcome.problems)
"""


@pytest.fixture
def hijacked(tmp_path: Path) -> Path:
    """A folder with modules named like those of the library, each of which leaves a trace; in `src`, a finding."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\n")
    (tmp_path / "src").mkdir()
    for number in range(3):
        (tmp_path / "src" / f"m{number}.py").write_text(LOOP.format(trips=50))
    return tmp_path


def test_processes_that_are_not_forked_run_nothing_of_the_working_directory(
    hijacked: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    script = tmp_path_factory.mktemp("script") / "script.py"
    script.write_text(SPAWNED)
    run = [sys.executable, str(script)]
    done = subprocess.run(
        run, cwd=hijacked, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT.parent)}
    )
    assert done.stdout == "3 ()\n", done.stderr
    assert not (hijacked / "ran").exists()


@pytest.mark.parametrize(
    "arguments",
    [["src"], ["src", "--fix", "--diff", "--python", "PLAIN"]],
    ids=["a check", "an interpreter that is asked"],
)
def test_the_module_runs_nothing_of_the_working_directory(
    arguments: list[str], hijacked: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = tmp_path_factory.mktemp("plain")
    venv.create(plain, with_pip=False, symlinks=os.name == "posix")
    python = next(p for p in (plain / "bin" / "python", plain / "Scripts" / "python.exe") if p.exists())
    words = [str(python) if word == "PLAIN" else word for word in arguments]
    run = [sys.executable, "-m", "scanlint", *words]
    done = subprocess.run(
        run, cwd=hijacked, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT.parent)}
    )
    assert ("cannot import jax" in done.stderr) if "--fix" in words else ("unrolled-loop" in done.stdout), done.stderr
    assert not (hijacked / "ran").exists()
