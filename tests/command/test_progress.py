"""The line that tells how far a run is: on a terminal, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import scanlint
from scanlint.report.console import Progress
from scanlint.verify.time_left import LEAST_SECONDS, VerifyingLine

Scanlint = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(scanlint.__file__).parent.parent


def test_a_function_that_is_verified_again_counts_once() -> None:
    line = VerifyingLine(3)
    said = [line.at(key, key) for key in ("f", "g", "f", "h", "i")]
    assert said == [
        "verifying 1 of 3: f",
        "verifying 2 of 3: g",
        "verifying 1 of 3: f",
        "verifying 3 of 3: h",
        "verifying 4 of 4: i",  # found only after a rewrite
    ]


@pytest.mark.parametrize(
    ("spent", "left"),
    [(0.0, ""), (LEAST_SECONDS + 1, ", about 16 s left"), (60.0, ", about 4 min left")],
    ids=["at the beginning nothing is known", "seconds", "minutes"],
)
def test_what_is_left_is_told_once_something_is_done(spent: float, left: str, monkeypatch: pytest.MonkeyPatch) -> None:
    line, now = VerifyingLine(10), time.monotonic()
    line.at("f", "f"), line.at("g", "g")
    monkeypatch.setattr("time.monotonic", lambda: now + spent)
    assert line.at("h", "h") == f"verifying 3 of 10: h{left}"


def test_without_a_terminal_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(quiet=False)
    progress("verifying 1 of 2: f")
    progress.close()
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo terminal")
@pytest.mark.parametrize("words", [("--fix", "--diff", "."), ("verify", "--since", "HEAD")], ids=" ".join)
def test_a_terminal_shows_whose_turn_it_is_and_nothing_of_it_stays(words: tuple[str, ...], project: Path) -> None:
    """The line is on standard error; standard output is what it is elsewhere."""
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "old")):
        subprocess.run(["git", *identity, *command], cwd=project, check=True)
    loop = project / "loop.py"
    loop.write_text(loop.read_text().replace("jnp.sin(state) * 2.0", "2.0 * jnp.sin(state)"))
    errors, out = in_terminal(project, *words)
    assert "\rverifying 1 of 1: rollout" in errors
    assert errors.rpartition("verifying")[2].partition("\r")[2].startswith(" " * len("verifying"))
    assert "rollout" in out and "verifying" not in out


def in_terminal(folder: Path, *words: str) -> tuple[str, str]:
    """What a command says where standard error is a terminal, and what it prints."""
    import pty

    parent, child = pty.openpty()
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        [sys.executable, "-m", "scanlint", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=child,
        env={**os.environ, "TERM": "xterm", "PYTHONPATH": path},
    )
    os.close(child)
    data = b""
    try:
        while chunk := os.read(parent, 65536):
            data += chunk
    except OSError:  # the other side is closed
        pass
    os.close(parent)
    out, _ = process.communicate()
    return data.decode(), out.decode()
