"""Limits on what the code under test may do: memory, files, network, processes."""

from __future__ import annotations

import os
import sys
import tempfile

MEMORY = 8 << 30
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = frozenset(
    [
        "os.remove",
        "os.rename",
        "os.mkdir",
        "os.rmdir",
        "os.truncate",
        "os.chmod",
        "os.chown",
        "os.link",
        "os.symlink",
        "os.utime",
        "shutil.rmtree",
        "shutil.move",
        "shutil.copyfile",
        "shutil.copytree",
        "os.setxattr",
        "os.removexattr",
    ]
)
_FORBIDDEN = frozenset(
    [
        "subprocess.Popen",
        "os.system",
        "os.exec",
        "os.posix_spawn",
        "os.spawn",
        "os.fork",
        "os.forkpty",
        "os.startfile",
        "pty.spawn",
        "socket.connect",
        "socket.bind",
        "socket.sendto",
        "socket.sendmsg",
        "socket.getaddrinfo",
        "socket.gethostbyname",
        "os.kill",
        "os.killpg",
    ]
)


class Refused(PermissionError):
    """The code under test tried something that is not allowed while it is verified."""


def enclose(folder: str) -> list[str]:
    """Enter the temporary folder and refuse writes elsewhere; gives the list that refused actions are added to."""
    os.chdir(folder)
    for name in ("TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR"):
        os.environ[name] = folder
    tempfile.tempdir = folder
    _limit_memory()
    home = os.path.realpath(folder) + os.sep
    refused: list[str] = []

    def inside(path: object) -> bool:
        if isinstance(path, int):
            return True
        name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
        real = os.path.realpath(name)
        return (real + os.sep).startswith(home) or real == os.devnull

    def refuse(event: str, what: object) -> None:
        refused.append(f"{event} {what}")
        raise Refused(f"{event} of {what} is refused while verifying")

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments[0], arguments[1], arguments[2]
            writes = isinstance(mode, str) and any(c in mode for c in "wax+")
            writes = writes or (isinstance(flags, int) and bool(flags & _WRITING))
            if writes and not inside(path):
                refuse("writing", path)
        elif event in _PATHS:
            for path in arguments[:2]:
                if isinstance(path, (str, bytes)) and not inside(path):
                    refuse(event, path)
        elif event in _FORBIDDEN:
            refuse(event, arguments[0] if arguments else "")

    sys.addaudithook(hook)
    return refused


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    for limit, value in ((resource.RLIMIT_DATA, MEMORY), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(limit)
        resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))
