"""Namespaces of Linux: a task sees no network of the machine, and none of its queues, semaphores and shared memory.

Root leaves them at once; others need a user namespace for it, in which they stay who they are. Processes are told apart
by `seccomp`: a namespace of processes begins with a child, and a task has none.
"""

from __future__ import annotations

import ctypes
import os
import sys

USER, IPC, NETWORK = 0x10000000, 0x08000000, 0x40000000
usable: bool | None = None
"""Whether a child that was to try could leave them; None before."""


def leave() -> str:
    """Leave the namespaces of the machine, for good; says what holds now, empty where nothing does."""
    if not usable or not _left():
        return ""
    return "namespaces: network, queues and shared memory of its own"


def probe() -> None:
    """Have a child try it: some systems give the namespace and take away what it is for."""
    global usable
    if sys.platform != "linux":
        return
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if _left() else 1
        finally:
            os._exit(code)
    usable = os.waitpid(child, 0)[1] == 0


def _left() -> bool:
    user, group = os.geteuid(), os.getegid()
    unshare = ctypes.CDLL(None, use_errno=True).unshare
    if user == 0:
        return bool(unshare(IPC | NETWORK) == 0)
    if unshare(USER | IPC | NETWORK) != 0:
        return False
    try:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "wb") as stream:
                stream.write(text.encode())
    except OSError:
        return False
    return os.geteuid() == user
