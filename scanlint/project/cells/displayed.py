"""Finds what a notebook shows of a cell: the value of the last expression in it."""

from __future__ import annotations

from collections.abc import Sequence

from scanlint.project.cells.cell_script import HEAD
from scanlint.project.cells.ipython import MARK
from scanlint.project.cells.notebook import SUFFIX
from scanlint.syntax.regex import regex

CELL = regex(rf"# {MARK}:* cell \d+$")


def ends_cell(path: str, lines: Sequence[str], line: int) -> bool:
    """Nothing but comments stands between a line, counted from 1, and the end of its cell."""
    for number in range(line, len(lines)):
        text = lines[number].strip()
        if _begins(text):
            return True
        if text and not text.startswith("#"):
            return False
    return path.endswith(SUFFIX) or any(map(_begins, lines))


def _begins(text: str) -> bool:
    return HEAD.match(text) is not None or CELL.match(text.rstrip()) is not None
