"""Temporary folders of a run: each holds a lock on its own; the next run removes those of one that was killed."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from pathlib import Path

from scanlint.verify.worker.session.removal import remove

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PREFIX = "scanlint-held-"
FRESH = "scanlint-new-"  # until it is locked: nobody sweeps it
OLD_SECONDS = 24 * 3600.0
"""Where a system has no locks on folders, one of this age belongs to no run."""


class TemporaryFolder:
    """A folder that is removed by `close`, or by a later run."""

    def __init__(self) -> None:
        _sweep(Path(tempfile.gettempdir()))
        fresh = Path(tempfile.mkdtemp(prefix=FRESH))
        self._handle = _locked(fresh)
        self.name = str(fresh.rename(fresh.with_name(PREFIX + fresh.name.removeprefix(FRESH))))

    def close(self) -> None:
        """Remove the folder with all that lies in it."""
        remove(self.name)
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _sweep(where: Path) -> None:
    """Remove the folders of runs that were killed; those of other users, and of runs that go on, stay."""
    for folder in where.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # another run removes it at this moment
            about = folder.lstat()
            if folder.is_symlink() or not folder.is_dir() or (hasattr(os, "geteuid") and about.st_uid != os.geteuid()):
                continue
            if fcntl is None:
                if time.time() - about.st_mtime > OLD_SECONDS:
                    remove(str(folder))
            elif (handle := _locked(folder)) is not None:
                remove(str(folder))
                os.close(handle)


def _locked(folder: Path) -> int | None:
    """A handle that holds the lock on a folder; None where another process does, or the system has no such locks."""
    if fcntl is None:
        return None
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
