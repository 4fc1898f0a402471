"""What the code under test may do: the kernel's protections where there are any, then an audit hook."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import landlock, limits, namespaces, seccomp

WALLS = ("limits", "namespaces", "Landlock", "seccomp")
FOLDERS = ("TMPDIR", "TEMP", "TMP", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "MPLCONFIGDIR", "NUMBA_CACHE_DIR")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = frozenset(
    [
        "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.chown", "os.link",
        "os.symlink", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree", "shutil.move",
        "shutil.copyfile", "shutil.copytree", "sqlite3.connect",
    ]
)  # fmt: skip
_FORBIDDEN = frozenset(
    [
        "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
        "os.startfile", "pty.spawn", "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg",
        "socket.getaddrinfo", "socket.gethostbyname", "os.kill", "os.killpg", "gc.get_objects", "gc.get_referrers",
        "sys._current_frames",
    ]
)  # fmt: skip
_SYMBOLS = frozenset(
    [
        "unlink", "unlinkat", "remove", "rmdir", "rename", "renameat", "renameat2", "truncate", "truncate64",
        "creat", "mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat",
        "chown", "fchown", "lchown", "system", "popen", "fork", "vfork", "execv", "execve", "execvp", "posix_spawn",
        "posix_spawnp", "kill", "killpg", "socket", "connect", "bind", "listen", "sendto", "ptrace",
        "process_vm_writev", "syscall", "mount", "umount", "unshare", "setns", "prctl", "abort", "fopen", "open",
        "open64", "openat",
    ]
)  # fmt: skip


class Refused(PermissionError):
    """The code under test tried something that is not allowed while it is verified."""


@dataclass
class Enclosure:
    """What holds in this process, and what was refused so far: to the function under test, and while setting up.

    `protections` are told to the user: what protects, and what the system does not give.
    """

    protections: tuple[str, ...] = ()
    set_up: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)
    of_function: bool = True

    @contextmanager
    def setting_up(self) -> Iterator[None]:
        """What runs here is the module or a caller, run for its arguments: its effects are not the function's."""
        before, self.of_function = self.of_function, False
        try:
            yield
        finally:
            self.of_function = before

    def refuse(self, event: str, what: object) -> None:
        text = f"{event} {what}".strip()
        (self.running if self.of_function else self.set_up).append(text[:200])
        raise Refused(f"{text} is refused while verifying")


def enclose(folder: str, seconds: float, *, kernel: bool) -> Enclosure:
    """Enter the temporary folder and refuse writes elsewhere. Without `kernel`, what any system offers must do."""
    os.chdir(folder)
    for name in FOLDERS:
        os.environ[name] = folder
    tempfile.tempdir = folder
    walls = {"limits": limits.limit(seconds), **(_confine(folder) if kernel and sys.platform == "linux" else {})}
    walls |= {"audit hook": "audit hook: writing, network, processes"}
    missing = [name for name in WALLS if not walls.get(name)]
    enclosure = Enclosure(
        (
            *(f"protected by: {text}" for text in walls.values() if text),
            *(f"not protected by {name}: not available here" for name in missing),
        )
    )
    sys.addaudithook(_hook(os.path.realpath(folder) + os.sep, enclosure))
    return enclosure


def _confine(folder: str) -> dict[str, str]:
    """The kernel's protections; devices other than the processor need sockets of their own, and may run their compiler.

    CUDA does not start under Landlock (`cuInit` fails), nor without a socket that it binds and listens to.
    """
    devices = os.environ.get("JAX_PLATFORMS", "cpu") != "cpu"
    apart = "" if devices else namespaces.leave()  # drivers may talk to their services
    limits.end_with_parent()  # whoever gets other rights is let go by the kernel
    limits.drop_privileges()
    nowhere_else = "" if devices else landlock.confine(folder, writable=[os.devnull])
    cut = bool(nowhere_else) and landlock.version() >= 3
    filtered = seccomp.refuse(files=not nowhere_else and not devices, devices=devices, truncate=cut)
    return {"namespaces": apart, "Landlock": nowhere_else, "seccomp": filtered}


def _hook(home: str, enclosure: Enclosure) -> Callable[[str, tuple[object, ...]], None]:
    def inside(path: object) -> bool:
        if isinstance(path, int):
            return True
        name = os.fsdecode(path) if isinstance(path, (str, bytes, os.PathLike)) else ""
        real = os.path.realpath(name)
        return (real + os.sep).startswith(home) or real == os.devnull

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments[0], arguments[1], arguments[2]
            writes = isinstance(mode, str) and any(c in mode for c in "wax+")
            writes = writes or (isinstance(flags, int) and bool(flags & _WRITING))
            if writes and not inside(path):
                enclosure.refuse("writing", path)
        elif event in _PATHS:
            for path in arguments[:2]:
                if isinstance(path, (str, bytes)) and not inside(path):
                    enclosure.refuse(event, path)
        elif event in _FORBIDDEN:
            enclosure.refuse(event, arguments[0] if arguments else "")
        elif event == "ctypes.dlsym" and arguments[1] in _SYMBOLS:
            enclosure.refuse("calling through ctypes", arguments[1])

    return hook
