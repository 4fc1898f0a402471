"""Landlock: files outside of one folder cannot be changed or run, whatever the code does, root or not.

What it does not cover (modes, owners, times, attributes; network other than TCP) is refused by `seccomp`.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on every architecture
VERSION = 1
PATH_BENEATH = 1
EXECUTE, WRITE_FILE, REMOVE_DIR, REMOVE_FILE = 1 << 0, 1 << 1, 1 << 4, 1 << 5
MAKE_DIR, MAKE_REG, MAKE_SYM = 1 << 7, 1 << 8, 1 << 12
MAKE_DEVICES = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
NETWORK, SCOPES = 0b11, 0b11  # bind and connect TCP; abstract sockets and signals of others
SINCE = {REFER: 2, TRUNCATE: 3, IOCTL_DEV: 5}
NETWORK_SINCE, SCOPES_SINCE = 4, 6
O_PATH = 0o10000000


def version() -> int:
    """The version of the kernel's Landlock; 0 where it has none."""
    return max(0, _call(CREATE_RULESET, None, 0, VERSION))


def confine(folder: str, *, writable: Iterable[str] = ()) -> str:
    """Confine this thread and those that it starts; says what holds now, empty where nothing does.

    Files are changed in `folder` and at the `writable` places only. No program is run.
    """
    known = version()
    if not known:
        return ""
    handled = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SYM | MAKE_DEVICES
    handled |= sum(right for right, since in SINCE.items() if known >= since)
    inside = handled & ~MAKE_DEVICES & ~IOCTL_DEV
    handled |= EXECUTE
    attributes = struct.pack(
        "=QQQ", handled, NETWORK if known >= NETWORK_SINCE else 0, SCOPES if known >= SCOPES_SINCE else 0
    )
    size = 24 if known >= SCOPES_SINCE else 16 if known >= NETWORK_SINCE else 8
    ruleset = _call(CREATE_RULESET, attributes, size, 0)
    if ruleset < 0:
        return ""
    try:
        allowed = _allow(ruleset, folder, inside)
        for place in writable:
            with contextlib.suppress(OSError):  # a place that is not there is not written to
                _allow(ruleset, place, handled & (WRITE_FILE | TRUNCATE | IOCTL_DEV))
        held = allowed and _call(RESTRICT_SELF, ruleset, 0) == 0
    finally:
        os.close(ruleset)
    return f"Landlock {known}: files are written in a temporary folder only" if held else ""


def _allow(ruleset: int, path: str, rights: int) -> bool:
    descriptor = os.open(path, O_PATH | os.O_CLOEXEC)
    try:
        return _call(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0) == 0
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: int | bytes | None) -> int:
    """A system call; minus the error number where it fails."""
    system = ctypes.CDLL(None, use_errno=True).syscall
    system.restype = ctypes.c_long
    result = int(system(ctypes.c_long(number), *(ctypes.c_long(a) if isinstance(a, int) else a for a in arguments)))
    return result if result >= 0 else -(ctypes.get_errno() or errno.EPERM)
