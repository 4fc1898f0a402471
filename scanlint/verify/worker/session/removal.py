"""Removes folders that the code under test wrote into."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Callable


def remove(folder: str) -> None:
    """Remove a folder, whatever modes its contents were given and however deep it is.

    Inner folders are moved up one by one: no path is longer than that of a folder in the folder.
    """
    fresh = itertools.count()
    while names := _within(folder):
        known = len(names)
        for name in names:
            at = os.path.join(folder, name)
            if os.path.isdir(at) and not os.path.islink(at):
                for inner in _within(at):
                    _moved_up(os.path.join(at, inner), os.path.join(folder, f".left-{next(fresh)}"))
                _try(os.rmdir, at)
            else:
                _try(os.unlink, at)
            known -= not os.path.lexists(at)
        if known == len(names):  # nothing can be removed
            return
    _try(os.rmdir, folder)


def _within(folder: str) -> list[str]:
    with contextlib.suppress(OSError):  # it is gone already
        os.chmod(folder, 0o700)
        return os.listdir(folder)
    return []


def _moved_up(path: str, place: str) -> None:
    """Remove a file; move a folder to a place where it is removed later."""
    if os.path.isdir(path) and not os.path.islink(path):
        _try(lambda p: os.chmod(p, 0o700), path)
        _try(lambda p: os.rename(p, place), path)
    else:
        _try(os.unlink, path)


def _try(action: Callable[[str], object], path: str) -> None:
    """Do it, if need be with the file made writable: Windows removes no others."""
    try:
        action(path)
    except OSError:
        with contextlib.suppress(OSError):  # temporary files; the next run sweeps them
            if not os.path.islink(path):
                os.chmod(path, 0o700)
            action(path)
