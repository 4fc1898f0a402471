"""Costs that are damaged price nothing, end no run, and are said to be."""

from __future__ import annotations

import json
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
