"""Limits that need no filter: memory, processor time, size of files, capabilities, and an end with the parent."""

from __future__ import annotations

import contextlib
import ctypes
import os
import struct
import sys

MEMORY = 8 << 30
LEAST_MEMORY = 2 << 30
FILE_SIZE = 256 << 20
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 36, 38
CAPABILITIES_3 = 0x20080522
DAC_READ_SEARCH = 1 << 2  # root goes on reading what belongs to others, and nothing else


def memory() -> int:
    """The bytes that one task may use: half of the machine's, within bounds."""
    try:
        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return MEMORY
    return min(MEMORY, max(LEAST_MEMORY, physical // 2))


def limit(seconds: float) -> str:
    """Set the limits of this process; says what holds now."""
    try:
        import resource
    except ImportError:  # what holds is told, and that is nothing
        return ""
    held = []
    wanted = {
        "RLIMIT_DATA": (memory(), f"memory {memory() >> 20} MiB"),
        "RLIMIT_CPU": (int(6 * seconds) + 60, ""),
        "RLIMIT_FSIZE": (FILE_SIZE, f"files {FILE_SIZE >> 20} MiB"),
        "RLIMIT_CORE": (0, ""),
    }
    for name, (value, text) in wanted.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        _, hard = resource.getrlimit(number)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        with contextlib.suppress(OSError, ValueError):  # macOS refuses some
            resource.setrlimit(number, (value, value))
            held += [text] if text else []
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as stream:
        # only a hint to the kernel
        stream.write("1000")
    return f"limits: {', '.join(held)}" if held else ""


def end_with_parent(by: int = 9) -> None:
    """Have the kernel end this process with the thread that started it, by a signal."""
    _prctl(PR_SET_PDEATHSIG, by)


def adopt_orphans() -> None:
    """Make this process the parent of whatever its children leave behind."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def drop_privileges() -> None:
    """Give up what root may do beside reading, for good: without this neither Landlock nor a filter is allowed."""
    if sys.platform != "linux":
        return
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    header = struct.pack("=Ii", CAPABILITIES_3, 0)
    kept = DAC_READ_SEARCH if os.geteuid() == 0 else 0
    ctypes.CDLL(None).capset(header, struct.pack("=6I", kept, kept, 0, 0, 0, 0))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, ctypes.c_ulong(value), 0, 0, 0)
