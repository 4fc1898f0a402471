"""Files that could not be read, and findings that may be missing for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scanlint.errors import listed
from scanlint.problem import Problem
from scanlint.project.files import Unreadable


def problem(unread: Unreadable) -> Problem:
    """Why something that was asked for was not looked at."""
    return Problem(unread.display, unread.line if unread.syntax else 0, unread.message, "unread")


def rested_on(unread: Sequence[Unreadable]) -> list[str]:
    """One note on files that nobody asked for, and that may hold callers of those that were."""
    if not unread:
        return []
    files, them = ("1 file", "it") if len(unread) == 1 else (f"{len(unread)} files", "them")
    named = listed([f"{one.display} ({_why(one)})" for one in unread])
    return [f"{files} of the project could not be read; findings that rest on {them} may be missing: {named}"]


def left_out(parts: Mapping[str, Sequence[str]]) -> list[str]:
    """The parts of files that are not checked: each reason once, with the files."""
    files: dict[str, list[str]] = {}
    for display, reasons in parts.items():
        for reason in reasons:
            files.setdefault(reason, []).append(display)
    return [f"{listed(displays)}: {reason}" for reason, displays in files.items()]


def _why(unread: Unreadable) -> str:
    return f"line {unread.line}: {unread.message}" if unread.syntax else unread.message.removesuffix(": not checked")
