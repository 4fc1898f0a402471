"""Verifying several functions at a time: the same is said and written as by one after the other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scanlint.fix.run import fix
from scanlint.fix.verdicts import asked_anywhere
from scanlint.settings import Settings
from scanlint.verify.verifier import Task, Verifier
from tests.conftest import ROOT, Scanlint

pytestmark = pytest.mark.long
EXAMPLE = ROOT / "fixtures" / "example"
FUNCTION = """

@jax.jit
def {name}(x):
    for t in range(50):
        x = jnp.sin(x) * 2.0 + jnp.cos(x) * t
    return x
"""
NAMES = ("first", "second", "third", "fourth")


@pytest.fixture
def four(tmp_path: Path) -> Path:
    """Two files with two functions each that can be rewritten."""
    for file, names in (("one.py", NAMES[:2]), ("two.py", NAMES[2:])):
        text = "import jax\nimport jax.numpy as jnp\n" + "".join(FUNCTION.format(name=name) for name in names)
        (tmp_path / file).write_text(text)
    return tmp_path


def fixed(folder: Path, jobs: int, withheld: str, monkeypatch: pytest.MonkeyPatch) -> tuple[object, list[Task]]:
    """What a run comes to where the rewrite of one function has no verdict, and what the verifiers were asked."""
    asked: list[Task] = []

    def answer(self: Verifier, task: Task) -> Mapping[str, object]:
        asked.append(task)
        return {"verdict": "unknown" if task.function == withheld else "proved", "reason": None, "inputs": "given"}

    monkeypatch.setattr(Verifier, "answer", answer)
    done = fix([folder], Settings(root=folder, cache=False, jobs=jobs, python=sys.executable), lambda text: None)
    assert not done.problems
    return (done.findings, done.changes), asked


def test_what_is_foreseen_is_asked_once(four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, one = fixed(four, 1, "none", monkeypatch)
    several, more = fixed(four, 3, "none", monkeypatch)
    assert several == alone
    assert [task.function for task in one] == list(NAMES)
    assert len(more) == len(one)
    assert all(task in one for task in more)


@pytest.mark.parametrize("withheld", NAMES)
def test_what_is_not_foreseen_is_asked_in_its_turn(four: Path, withheld: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, one = fixed(four, 1, withheld, monkeypatch)
    several, more = fixed(four, 3, withheld, monkeypatch)
    assert several == alone
    meanings = [(asked_anywhere(task), task.changed) for task in more]
    assert all((asked_anywhere(task), task.changed) in meanings for task in one)


def test_what_does_not_reach_what_was_withheld_is_asked_once(four: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, asked = fixed(four, 3, "first", monkeypatch)
    assert [task.function for task in asked] == list(NAMES)
    assert all(not task.changed for task in asked)


def test_a_question_rests_on_the_new_texts_of_what_its_file_imports(
    four: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (four / "two.py").write_text((four / "two.py").read_text().replace("import jax\n", "import jax\nimport one\n", 1))
    _, asked = fixed(four, 1, "first", monkeypatch)
    (changed,) = {tuple(task.changed.values()) for task in asked if task.function in NAMES[2:]}
    assert len(changed) == 1
    assert "fori_loop" in changed[0]


def without_what_time_allows(said: dict[str, Any]) -> None:
    """Take out how many inputs were tried and what was noted of them: searches end by the clock on a busy machine."""
    said["summary"].pop("seconds")
    for finding in said["findings"]:
        for key in ("cases", "max_abs_error", "notes", "holds_for", "evidence"):
            finding["verification"].pop(key)


@pytest.mark.slow
def test_any_number_of_processes_says_the_same_of_a_program(run: Scanlint) -> None:
    said = []
    for jobs in ("1", "2"):
        done = run("--fix", "--diff", "--no-cache", "--jobs", jobs, "--output-format", "json", str(EXAMPLE))
        assert done.returncode == 1, done.stderr
        said.append(json.loads(done.stdout))
        without_what_time_allows(said[-1])
    assert said[0] == said[1]
    assert {f["verification"]["verdict"] for f in said[0]["findings"]} == {"proved", "tested"}


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_an_interrupt_ends_all_workers_and_leaves_no_folder(
    four: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    temporary = tmp_path_factory.mktemp("temporary")
    words = [sys.executable, "-m", "scanlint", "--fix", "--diff", "--no-cache", "--jobs", "2", "."]
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "TMPDIR": str(temporary)}
    with subprocess.Popen(words, cwd=four, env=environment, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not list(temporary.glob("scanlint-held-*/task-*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert said.endswith("interrupted\n")
    assert not list(temporary.iterdir())
