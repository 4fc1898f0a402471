"""Costs that are damaged price nothing, end no run, and are said to be."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path

import pytest

from scanlint.record.recordings import digest
from tests.conftest import LOOP, Scanlint

DAMAGED = {
    "cut off": '{"files":',
    "no table": "null",
    "a list of files": '{"files": [1, 2]}',
    "a file that is none": '{"files": {"loop.py": 3}}',
    "thousands of brackets": "[" * 100_000 + "]" * 100_000,
    "a span without its numbers": json.dumps(
        {"files": {"loop.py": {"hash": digest(LOOP.encode()), "spans": {"7": {}}}}}
    ),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED)
def test_damaged_costs_end_no_run(project: Path, run: Scanlint, text: str) -> None:
    whole = run("--no-cache", ".")
    (project / ".scanlint").mkdir()
    (project / ".scanlint" / "costs.json").write_text(text)
    damaged = run("--no-cache", ".")
    assert (damaged.returncode, damaged.stdout) == (1, whole.stdout)
    assert "costs.json: cannot be read: `scanlint record` makes it anew" in damaged.stderr


def test_recorded_calls_that_are_damaged_or_of_no_function_are_said(project: Path, run: Scanlint) -> None:
    (project / "pyproject.toml").write_text("")
    kept = project / ".scanlint" / "recorded"
    kept.mkdir(parents=True)
    (kept / "loop--rollout.npz").write_text("junk")
    for name in ("loop--rollout.inner", "loop--gone", "gone--rollout"):
        with zipfile.ZipFile(kept / f"{name}.npz", "w") as archive:
            archive.writestr("calls.json", '{"version": 1, "calls": []}')
    done = run("--fix", "--diff", "--no-cache", "--verify-timeout", "300", "loop.py")
    assert ".scanlint/recorded/loop--rollout.npz: cannot be read (File is not a zip file)" in done.stderr
    assert "`loop--gone` names no function of the files that were checked any more" in done.stderr
    assert "`gone--rollout` names no function" in done.stderr and "inner" not in done.stderr
    assert done.stderr.count("note:") == 3


def test_files_that_cannot_be_read_are_said_not_to_be_recorded(project: Path, run: Scanlint) -> None:
    (project / "broken.py").write_text("def f(:\n")
    done = run("record", "--", sys.executable, "-c", "")
    assert "scanlint: nothing is recorded of what cannot be read: broken.py" in done.stderr and done.returncode == 0
