"""The error that ends a run with exit code 2: a bad option, a configuration that cannot be used."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence


class UsageError(Exception):
    """The user has to change an option, a path or a configuration; the message says which and how."""


def cause(error: OSError | ValueError) -> str:
    """What the system says of a failure, without the file that is named beside it."""
    return (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__


REMEDIES = {
    errno.ENOSPC: "make room there",
    errno.EDQUOT: "make room there",
    errno.EMFILE: "allow more open files (`ulimit -n`)",
    errno.ENFILE: "allow more open files",
    errno.EAGAIN: "end other processes, or use fewer `--jobs`",
    errno.ENOMEM: "end other processes, or use fewer `--jobs`",
    errno.EACCES: "give this user the permission",
    errno.EROFS: "name a place that can be written",
}


def fault(error: OSError | MemoryError) -> str:
    """What surrounds the run and ended it, with the file and, where one is known, the remedy."""
    try:
        os.getcwd()
    except OSError:
        return "the working directory does not exist any more; change to one that does"
    if isinstance(error, MemoryError):
        return f"out of memory; {REMEDIES[errno.ENOMEM]}"
    place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    remedy = f"; {REMEDIES[error.errno]}" if error.errno in REMEDIES else ""
    return f"{place}{cause(error)}{remedy}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """Some of the names, and how many there are beside them."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """`; did you mean ...?` for the nearest choice, or nothing where none is near: numbers are not near each other."""
    import difflib

    listed = list(choices)
    if any(char.isdigit() for char in word):
        near = [choice for choice in listed if choice.lower() == word.lower()]
    else:
        near = difflib.get_close_matches(word, listed, n=1, cutoff=0.7)
    return f"; did you mean `{near[0]}`?" if near else ""
