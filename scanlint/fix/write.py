"""Writing a file so that no crash, and no editor that saved meanwhile, can lose a byte of it."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path

from scanlint.errors import cause
from scanlint.problem import Problem
from scanlint.project.contents import contents

SUFFIX = ".scanlint-tmp"
READER_SECONDS = 10.0
MOST_LINKS = 40


class NotWritten(Exception):
    """The file was left as it is; the message says why."""

    def __init__(self, path: Path | str, why: str) -> None:
        self.problem = Problem(str(path), 0, why, "undone")
        super().__init__(str(self.problem))


def write(path: Path, old: bytes, new: bytes) -> None:
    """Replace `old` by `new` in one step; a symlink stays one and its target is written.

    The file keeps its mode, owner and extended attributes; one that has other names is written in place, so that they
    stay names of it. Raises NotWritten if the file no longer holds `old` or cannot be written.
    """
    target = Path(os.path.realpath(path))

    def unchanged() -> None:
        if contents(target) != old:
            raise NotWritten(path, "changed while scanlint ran, left as it is")

    try:
        unchanged()
        if not os.access(target, os.W_OK):
            raise NotWritten(path, "cannot write: the file is read-only")
        _sweep(target)
        _replace(target, new, target.stat(), unchanged)
    except OSError as error:
        raise NotWritten(path, f"cannot write: {cause(error)}") from error


def write_new(path: Path, data: bytes) -> None:
    """Write a file of ours (a baseline, a report), whether or not it exists. Raises NotWritten.

    What is no regular file is written to; it stays what it is. So does what one of our own descriptors leads to.
    """
    try:
        handle = _descriptor(path)
        before = _stat(path)
        if handle is not None or (before is not None and not stat.S_ISREG(before.st_mode)):
            _pour(os.dup(handle) if handle is not None else _opened(path), data)
            return
        target = Path(os.path.realpath(path))
        _replace(target, data, before, lambda: None)
    except OSError as error:
        raise NotWritten(path, f"cannot write: {cause(error)}") from error


def _stat(path: Path) -> os.stat_result | None:
    """What there is; None where a new file is to be made."""
    try:
        return path.stat()
    except FileNotFoundError:  # a new file is to be made
        return None


def _descriptor(path: Path) -> int | None:
    """The descriptor of this process that a path names by way of links: `/dev/stdout`, `/dev/fd/3`."""
    here = os.path.abspath(path)
    for _ in range(MOST_LINKS):
        folder, name = os.path.split(here)
        if os.path.realpath(folder) in ("/dev/fd", f"/proc/{os.getpid()}/fd") and name.isdecimal():
            return int(name)
        if not os.path.islink(here):
            return None
        here = os.path.join(folder, os.readlink(here))
    return None


def _opened(path: Path) -> int:
    """A pipe or device, open for writing. A pipe is given some seconds in which someone comes to read it."""
    until = time.monotonic() + READER_SECONDS
    while True:
        try:
            handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            if error.errno != errno.ENXIO or time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            if hasattr(os, "set_blocking"):
                os.set_blocking(handle, True)
            return handle


def _pour(handle: int, data: bytes) -> None:
    with os.fdopen(handle, "wb", buffering=0) as file:
        _pour_into(file, data)


def _pour_into(file: io.RawIOBase | io.FileIO, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) or 0 :]


def _replace(target: Path, data: bytes, before: os.stat_result | None, check: Callable[[], None]) -> None:
    """Write beside the file and rename, right after a last check; in place where a new file would not be the same."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix=f".{target.name}.{os.getpid()}.", suffix=SUFFIX, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        alike = _made_alike(name, target, before)
        check()
        if alike:
            os.replace(name, target)
    finally:
        with contextlib.suppress(OSError):  # there is none: it was put in place
            os.unlink(name)
    if not alike:
        _overwrite(target, data)
    _sync_folder(target.parent)


def _made_alike(name: str, target: Path, before: os.stat_result | None) -> bool:
    """Give a new file what the old one has beside its bytes; whether it can take its place."""
    if before is None:
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, 0o666 & ~umask)
        return True
    if before.st_nlink > 1:
        return False
    try:
        if hasattr(os, "chown") and (os.stat(name).st_uid, os.stat(name).st_gid) != (before.st_uid, before.st_gid):
            os.chown(name, before.st_uid, before.st_gid)
        for attribute, value in _attributes(str(target)).items() - _attributes(name).items():
            os.setxattr(name, attribute, value)
    except OSError:
        return False
    os.chmod(name, stat.S_IMODE(before.st_mode))
    return True


def _attributes(name: str) -> dict[str, bytes]:
    """The extended attributes of a file, where the system has any."""
    if not hasattr(os, "listxattr"):
        return {}
    return {attribute: os.getxattr(name, attribute) for attribute in os.listxattr(name)}


def _overwrite(target: Path, data: bytes) -> None:
    """Write all bytes in one call into the file that is there, then cut off what was longer."""
    handle = os.open(target, os.O_WRONLY | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "wb", buffering=0) as file:
        _pour_into(file, data)
        file.truncate(len(data))
        os.fsync(file.fileno())


def _sweep(target: Path) -> None:
    """Remove what a run that was killed left beside the file."""
    for left in target.parent.glob(f".{''.join(f'[{c}]' if c in '*?[' else c for c in target.name)}.*{SUFFIX}"):
        process = left.name[len(target.name) + 2 :].partition(".")[0]
        if process.isdecimal() and not alive(int(process)):
            left.unlink(missing_ok=True)


def alive(process: int) -> bool:
    """Whether a process with a number may still run; on systems that do not tell, it may."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable where the system can open a folder (not on Windows)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
