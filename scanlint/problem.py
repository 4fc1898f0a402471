"""What a run did not do, and why: it is said in every report, and the run ends with exit code 2."""

from __future__ import annotations

from typing import Literal, NamedTuple

Scope = Literal["part", "unread", "undone"]
"""A file was checked in part; nothing in it was looked at; something else that was asked for was not done."""


class Problem(NamedTuple):
    """What is missing from a run. `path` is as in a finding, "" where it is no file's; `line` is 0 where none is meant.

    Made where the work stops, and handed on to the report as it is: `Problem("a.py", 12, "too deep to follow")`.
    """

    path: str
    line: int
    message: str
    scope: Scope = "part"

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.path and self.line else self.path
        return f"{place}: {self.message}" if place else self.message
