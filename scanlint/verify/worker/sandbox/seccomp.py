"""The system calls that code under verification may make, by a filter in the kernel; every other one is refused.

What is allowed is what JAX on a processor and Python's own library need, as strace shows: no network, no processes, no
harm to others, no changed modes, and nothing that a newer kernel brings. Landlock looks at paths and seccomp only at
numbers; where there is no Landlock, nothing at all can be written.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from typing import NamedTuple

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
SECCOMP, SET_FILTER, THREAD_SYNC = {"x86_64": 317, "aarch64": 277}, 1, 1
ALLOW, FAIL = 0x7FFF0000, 0x00050000
LOAD, EQUAL, ANY_BIT, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
CLONE_THREAD = 0x00010000
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

Numbers = tuple[int, int]
NONE = -1


def _calls(table: str) -> dict[str, Numbers]:
    """Names with their numbers on x86_64 and on aarch64; `-` where an architecture has no such call."""
    rows = (entry.replace("-", str(NONE)).split() for entry in table.split(","))
    return {name: (int(x86), int(arm)) for name, x86, arm in rows}


FILES = _calls(
    """read 0 63, pread64 17 67, readv 19 65, preadv 295 69, preadv2 327 286, write 1 64, pwrite64 18 68, writev 20 66,
    pwritev 296 70, pwritev2 328 287, lseek 8 62, open 2 -, openat 257 56, close 3 57, close_range 436 436, stat 4 -,
    fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, access 21 -, faccessat 269 48, faccessat2 439 439,
    getdents 78 -, getdents64 217 61, readlink 89 -, readlinkat 267 78, getcwd 79 17, chdir 80 49, fchdir 81 50,
    statfs 137 43, fstatfs 138 44, fcntl 72 25, ioctl 16 29, flock 73 32, dup 32 23, dup2 33 -, dup3 292 24,
    pipe 22 -, pipe2 293 59, ftruncate 77 46, fallocate 285 47, fsync 74 82, fdatasync 75 83, sync_file_range 277 84,
    fadvise64 221 223, readahead 187 213, sendfile 40 71, copy_file_range 326 285, umask 95 166, getxattr 191 8,
    lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13"""
)
EVENTS = _calls(
    """poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21,
    epoll_wait 232 -, epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19, timerfd_create 283 85,
    timerfd_settime 286 86, timerfd_gettime 287 87, signalfd 282 -, signalfd4 289 74, socketpair 53 199, sendto 44 206,
    sendmsg 46 211, recvfrom 45 207, recvmsg 47 212, shutdown 48 210, getsockopt 55 209, setsockopt 54 208,
    getsockname 51 204, getpeername 52 205"""
)
MEMORY = _calls(
    """mmap 9 222, mprotect 10 226, munmap 11 215, mremap 25 216, brk 12 214, madvise 28 233, msync 26 227,
    mincore 27 232, mlock 149 228, mlock2 325 284, munlock 150 229, mbind 237 235, set_mempolicy 238 237,
    get_mempolicy 239 236, membarrier 324 283, pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288"""
)
THREADS = _calls(
    """clone 56 220, futex 202 98, futex_waitv 449 449, set_tid_address 218 96, set_robust_list 273 99, rseq 334 293,
    arch_prctl 158 -, prctl 157 167, exit 60 93, exit_group 231 94, gettid 186 178, getcpu 309 168, sched_yield 24 124,
    sched_getaffinity 204 123, sched_setaffinity 203 122, sched_getparam 143 121, sched_setparam 142 118,
    sched_getscheduler 145 120, sched_setscheduler 144 119, sched_getattr 315 275, sched_setattr 314 274,
    sched_get_priority_max 146 125, sched_get_priority_min 147 126, sched_rr_get_interval 148 127,
    restart_syscall 219 128"""
)
SIGNALS = _calls(
    """rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136, rt_sigtimedwait 128 137,
    rt_sigsuspend 130 133, sigaltstack 131 132, pause 34 -, kill 62 129, tgkill 234 131, rt_sigqueueinfo 129 138,
    rt_tgsigqueueinfo 297 240, wait4 61 260, waitid 247 95"""
)
TIME = _calls(
    """clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115, nanosleep 35 101, gettimeofday 96 169,
    time 201 -, times 100 153, alarm 37 -, setitimer 38 103, getitimer 36 102, timer_create 222 107,
    timer_settime 223 110, timer_gettime 224 108, timer_getoverrun 225 109, timer_delete 226 111"""
)
QUESTIONS = _calls(
    """getpid 39 172, getppid 110 173, getuid 102 174, geteuid 107 175, getgid 104 176, getegid 108 177,
    getgroups 115 158, getresuid 118 148, getresgid 120 150, getpgid 121 155, getpgrp 111 -, getsid 124 156,
    capget 125 90, uname 63 160, sysinfo 99 179, getrusage 98 165, getrlimit 97 163, setrlimit 160 164,
    prlimit64 302 261, getpriority 140 141, ioprio_get 252 31, getrandom 318 278"""
)
CHANGES = _calls(
    """creat 85 -, unlink 87 -, unlinkat 263 35, rename 82 -, renameat 264 38, renameat2 316 276, mkdir 83 -,
    mkdirat 258 34, rmdir 84 -, link 86 -, linkat 265 37, symlink 88 -, symlinkat 266 36"""
)
"""Of folders; Landlock holds them to one place."""
TRUNCATE = _calls("truncate 76 45")
"""By path: held by Landlock from its third version on."""
PROGRAMS = _calls("fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, setsid 112 157, setpgid 109 154")
SOCKETS = _calls("socket 41 198, bind 49 200, listen 50 201")
"""Which drivers open to themselves: none connects, and none is of a network."""
ALWAYS = {**FILES, **EVENTS, **MEMORY, **THREADS, **SIGNALS, **TIME, **QUESTIONS}
KNOWN = 451
"""From this number on a call is newer than this table: programs are told that there is none, and do without."""
ABSENT = frozenset([435, 425, 437])  # clone3 io_uring_setup openat2: alike, of which not all can be seen
FLAGS = (("open", 1), ("openat", 2))
"""Calls with the place of the flags of opening."""
KILLS = frozenset(["kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"])
OWN = (*sorted(KILLS), "prlimit64", "sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity")
"""Calls whose first argument names a process: this one, or 0 where that means the caller."""
COMMANDS: tuple[tuple[str, int, tuple[int, ...]], ...] = (
    ("fcntl", 1, (8, 10, 15, 1024, 1026)),  # F_SETOWN F_SETSIG F_SETOWN_EX F_SETLEASE F_NOTIFY
    ("ioctl", 1, (0x5412, 0x40086602, 0x401C5820, 0x40049409, 0x4020940D)),  # TIOCSTI FS_IOC_SET* FICLONE*
)
"""Calls with the place of an argument, and its values that are refused."""
LOCAL = 1  # AF_UNIX
STREAM, KIND = 1, 0xF  # of a pair of sockets; others may send to whom they like


class Step(NamedTuple):
    """One instruction of the filter: code, jumps where it holds and where not, operand."""

    code: int
    yes: int
    no: int
    operand: int


def refuse(*, files: bool, devices: bool, truncate: bool = False) -> str:
    """Install the filter for all threads of a process without privileges; says what holds now, else empty.

    `files`: refuse every opening for writing too. `devices`: drivers may start programs, and listen to themselves.
    `truncate`: files may be cut by path.
    """
    machine = platform.machine()
    if machine not in ARCHITECTURES or sys.maxsize < 1 << 32:
        return ""
    program = b"".join(
        struct.pack("=HBBI", *step) for step in _filter(machine, files=files, devices=devices, truncate=truncate)
    )
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HL", len(program) // 8, ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    number = ctypes.c_long(SECCOMP[machine])
    if library.syscall(number, ctypes.c_long(SET_FILTER), ctypes.c_long(THREAD_SYNC), header) != 0:
        return ""
    what = ["no network", "no signals to other processes", "no changes of modes"]
    what += [] if devices else ["no new processes"]
    what += ["no writing at all"] if files else []
    return f"seccomp: {', '.join(what)}"


def allowed(machine: str, *, files: bool, devices: bool, truncate: bool) -> frozenset[int]:
    """The numbers that the filter lets pass, some of them only with the right arguments."""
    tables = [
        ALWAYS,
        *([] if files else [CHANGES]),
        *([PROGRAMS, SOCKETS] if devices else []),
        *([TRUNCATE] if truncate else []),
    ]
    column = ARCHITECTURES[machine][1]
    return frozenset(numbers[column] for table in tables for numbers in table.values()) - {NONE}


def _filter(machine: str, *, files: bool, devices: bool, truncate: bool = False) -> list[Step]:
    architecture, column = ARCHITECTURES[machine]
    return [
        Step(LOAD, 0, 0, ARCHITECTURE),
        Step(EQUAL, 1, 0, architecture),
        Step(RETURN, 0, 0, FAIL | errno.EPERM),
        Step(LOAD, 0, 0, NUMBER),
        *_one_of(ABSENT, FAIL | errno.ENOSYS),
        Step(AT_LEAST, 0, 1, KNOWN),
        Step(RETURN, 0, 0, FAIL | errno.ENOSYS),
        *_by_arguments(column, files=files, devices=devices),
        *_one_of(allowed(machine, files=files, devices=devices, truncate=truncate), ALLOW),
        Step(RETURN, 0, 0, FAIL | errno.EPERM),
    ]


def _by_arguments(column: int, *, files: bool, devices: bool) -> Iterator[Step]:
    """Refuse what is allowed by its number and not with these arguments."""
    if not devices:
        yield from _unless(THREADS["clone"][column], 0, Step(ANY_BIT, 1, 0, CLONE_THREAD))
    if devices:
        yield from _unless(SOCKETS["socket"][column], 0, Step(EQUAL, 1, 0, LOCAL))
    for name in OWN:
        yield from _unless(ALWAYS[name][column], 0, Step(EQUAL, 1, 0, os.getpid()), nobody=name not in KILLS)
    for name, place, refused in COMMANDS:
        for value in refused:
            yield from _unless(FILES[name][column], place, Step(EQUAL, 0, 1, value))
    yield from _unless(EVENTS["socketpair"][column], 1, Step(EQUAL, 1, 0, STREAM), mask=KIND)
    for name, place in FLAGS:  # O_TRUNC empties a file that is only read from, and older Landlocks let it
        yield from _unless(FILES[name][column], place, Step(EQUAL, 0, 1, os.O_TRUNC), mask=os.O_TRUNC | os.O_ACCMODE)
        if files:
            yield from _unless(FILES[name][column], place, Step(ANY_BIT, 0, 1, WRITES))


def _one_of(numbers: frozenset[int], answer: int) -> Iterator[Step]:
    """Answer the calls of these numbers, by runs of consecutive ones."""
    ordered = sorted(numbers)
    firsts = [n for n in ordered if n - 1 not in ordered]
    lasts = [n for n in ordered if n + 1 not in ordered]
    for first, last in zip(firsts, lasts, strict=True):
        yield from (Step(AT_LEAST, 0, 2, first), Step(AT_LEAST, 1, 0, last + 1), Step(RETURN, 0, 0, answer))


def _unless(number: int, place: int, test: Step, *, mask: int | None = None, nobody: bool = False) -> list[Step]:
    """Refuse a call unless the test of one of its arguments (of those of its bits in `mask`) lets it pass.

    With `nobody`, 0 passes too.
    """
    if number == NONE:
        return []
    asked = [
        Step(LOAD, 0, 0, ARGUMENTS + 8 * place),
        *([Step(AND, 0, 0, mask)] if mask is not None else []),
        *([Step(EQUAL, 2, 0, 0)] if nobody else []),
        test,
        Step(RETURN, 0, 0, FAIL | errno.EPERM),
        Step(LOAD, 0, 0, NUMBER),
    ]
    return [Step(EQUAL, 0, len(asked), number), *asked]
