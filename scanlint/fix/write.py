"""Writing a file so that no crash, and no editor that saved meanwhile, can lose a byte of it."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


class NotWritten(Exception):
    """The file was left as it is; the message says why."""


def write(path: Path, old: bytes, new: bytes) -> None:
    """Replace `old` by `new` in one step, keeping the mode; a symlink stays one and its target is written.

    Raises NotWritten if the file no longer holds `old` or cannot be written.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.read_bytes() != old:
            raise NotWritten(f"{path}: changed while scanlint ran, left as it is")
        if not os.access(target, os.W_OK):
            raise NotWritten(f"{path}: cannot write: the file is read-only")
        _replace(target, new, target.stat().st_mode & 0o7777)
    except OSError as error:
        raise NotWritten(f"{path}: cannot write: {error.strerror or error}") from error


def _replace(target: Path, data: bytes, mode: int) -> None:
    import tempfile

    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable where the system can open a folder (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_new(path: Path, data: bytes) -> None:
    """Write a file of ours (a baseline, a report), whether or not it exists. Raises NotWritten."""
    target = Path(os.path.realpath(path))
    umask = os.umask(0)
    os.umask(umask)
    try:
        mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~umask
        _replace(target, data, mode)
    except OSError as error:
        raise NotWritten(f"{path}: cannot write: {error.strerror or error}") from error
