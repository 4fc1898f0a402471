"""Files that could not be read, and findings that may be missing for that."""

from __future__ import annotations

from collections.abc import Sequence

from scanlint.problem import Problem
from scanlint.project.files import Unreadable

NAMED = 5
"""Files that are named in one note."""


def problem(unread: Unreadable) -> Problem:
    """Why something that was asked for was not looked at."""
    return Problem(unread.display, unread.line if unread.syntax else 0, unread.message, "unread")


def rested_on(unread: Sequence[Unreadable]) -> list[str]:
    """One note on files that nobody asked for, and that may hold callers of those that were."""
    if not unread:
        return []
    files, them = ("1 file", "it") if len(unread) == 1 else (f"{len(unread)} files", "them")
    named = ", ".join(f"{one.display} ({_why(one)})" for one in unread[:NAMED])
    more = f" and {len(unread) - NAMED} more" if len(unread) > NAMED else ""
    return [
        f"{files} of the project could not be read; findings that rest on {them} may be missing: {named}{more}",
    ]


def _why(unread: Unreadable) -> str:
    return f"line {unread.line}: {unread.message}" if unread.syntax else unread.message.removesuffix(": not checked")
