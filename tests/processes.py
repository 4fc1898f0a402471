"""The processes of a test: those that have its home."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

PATIENCE = 60.0


def at_home(home: Path) -> list[int]:
    """The processes that have this home, but for those that have ended and are not waited for."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            ours = f"HOME={home}".encode() in (entry / "environ").read_bytes().split(b"\0")
            ended = (entry / "stat").read_bytes().rpartition(b")")[2].split()[0] == b"Z"
        except OSError:
            continue
        if ours and not ended:
            found.append(int(entry.name))
    return found


def settled(home: Path, wanted: Callable[[int], bool]) -> int:
    """How many processes there are, when that is as wanted or the time is over."""
    until = time.monotonic() + PATIENCE
    while not wanted(count := len(at_home(home))) and time.monotonic() < until:
        time.sleep(0.2)
    return count
