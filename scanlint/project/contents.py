"""The bytes of regular files: a pipe would be waited for, a device never ends."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


class NotRegularError(OSError):
    """A path leads to a pipe, a device or a folder."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "not a regular file")


def may_exist(path: str | Path) -> bool:
    """Whether something lies at a path; what cannot be asked for may."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError:  # who may not ask cannot say that there is nothing
        return True
    return True


def contents(path: Path) -> bytes:
    """The bytes of a regular file. Raises OSError, NotRegularError for what is no file.

    It is opened without waiting and looked at when it is open: what a name leads to may change in between.
    """
    with open(path, "rb", opener=_without_waiting) as stream:
        return stream.read()


def _without_waiting(name: str, flags: int) -> int:
    if os.path.isdir(name):
        raise NotRegularError
    handle = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotRegularError
    return handle
