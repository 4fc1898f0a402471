"""--watch: the files are checked again when one changes, appears or goes, until the run is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import scanlint

Scanlint = Callable[..., subprocess.CompletedProcess[str]]
PATIENCE = 60.0


def wait_for(log: Path, text: str, count: int) -> str:
    """What a log holds when a text stands in it so many times."""
    end = time.monotonic() + PATIENCE
    while (held := log.read_text()).count(text) < count:
        assert time.monotonic() < end, held
        time.sleep(0.05)
    return held


@pytest.mark.skipif(os.name != "posix", reason="needs an interrupt from another process")
def test_a_change_is_checked_until_an_interrupt(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    log = tmp_path_factory.mktemp("log") / "out"
    environment = {**os.environ, "PYTHONPATH": str(Path(scanlint.__file__).parent.parent)}
    with log.open("w") as stream:
        words = [sys.executable, "-m", "scanlint", "--watch", "--output-format", "concise", "."]
        process = subprocess.Popen(words, cwd=project, stdout=stream, stderr=stream, env=environment)
        try:
            wait_for(log, "watching 2 files", 1)
            (project / "new.py").write_text((project / "loop.py").read_text().replace("50", "70"))
            assert "new.py:7:5: SCN101" in wait_for(log, "watching 3 files", 1)
            (project / "new.py").unlink()
            (project / "loop.py").write_text("x = 1\n")
            wait_for(log, "All checks passed", 1)
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert "Traceback" not in log.read_text()


@pytest.mark.parametrize("words", [("--fix", "."), ("--diff", "."), ("-",), ("-o", "x.txt", ".")], ids=" ".join)
def test_what_writes_is_not_repeated(words: tuple[str, ...], project: Path, run: Scanlint) -> None:
    done = run("--watch", *words, stdin="")
    assert done.returncode == 2
    assert "--watch only reports" in done.stderr


@pytest.fixture
def watched(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Path]]:
    """Starts watching some paths, and gives the log."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(*paths: str) -> Path:
        log = tmp_path_factory.mktemp("log") / "out"
        environment = {**os.environ, "PYTHONPATH": str(Path(scanlint.__file__).parent.parent)}
        words = [sys.executable, "-m", "scanlint", "--watch", "--no-cache", "--output-format", "concise", *paths]
        with log.open("w") as stream:
            started.append(subprocess.Popen(words, cwd=project, stdout=stream, stderr=stream, env=environment))
        wait_for(log, "Ctrl-C ends", 1)
        return log

    yield begin
    for process in started:
        process.kill()
        process.wait()


STEPS = "def halve(x):\n    if x > 0:\n        return x / 2\n    return x\n"
CALLER = "import jax\nfrom steps import halve\n\nfast = jax.jit(halve)\n"


def test_a_configuration_that_is_made_or_mended_is_taken_up(project: Path, watched: Callable[..., Path]) -> None:
    log = watched(".")
    (project / "pyproject.toml").write_text("[tool.scanlint]\nselct = []\n")
    wait_for(log, "unknown key `selct`", 1)
    (project / "pyproject.toml").write_text('[tool.scanlint]\nextend-exclude = ["loop.py"]\n')
    assert "watching 1 file;" in wait_for(log, "Ctrl-C ends", 3)
    (project / "pyproject.toml").unlink()
    wait_for(log, "watching 2 files", 2)


def test_a_caller_of_the_watched_file_is_watched_too(project: Path, watched: Callable[..., Path]) -> None:
    for name, text in {"pyproject.toml": "", "steps.py": STEPS, "use.py": "x = 1\n"}.items():
        (project / name).write_text(text)
    log = watched("steps.py")
    (project / "use.py").write_text(CALLER)
    wait_for(log, "steps.py:2:5: SCN201", 1)
    (project / "more.py").write_text(CALLER)
    wait_for(log, "watching 5 files", 1)


def test_a_path_that_appears_is_checked(project: Path, watched: Callable[..., Path]) -> None:
    log = watched("clean.py", "later.py")
    assert "later.py: no such file" in log.read_text()
    (project / "later.py").write_text((project / "loop.py").read_text())
    wait_for(log, "later.py:7:5: SCN101", 1)
