"""System calls that are refused by a filter in the kernel: network, processes, harm to others, changed modes.

Landlock looks at paths and seccomp only at numbers; where there is no Landlock, nothing at all can be written.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from typing import NamedTuple

ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
SECCOMP, SET_FILTER, THREAD_SYNC = {"x86_64": 317, "aarch64": 277}, 1, 1
ALLOW, FAIL = 0x7FFF0000, 0x00050000
LOAD, EQUAL, ANY_BIT, AT_LEAST, AND, RETURN = 0x20, 0x15, 0x45, 0x35, 0x54, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
X32 = 0x40000000
CLONE_THREAD = 0x00010000
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

Numbers = tuple[int, int]
NONE = -1
NETWORK: tuple[Numbers, ...] = ((41, 198),)  # socket; socketpair stays
PROCESSES: tuple[Numbers, ...] = ((57, NONE), (58, NONE), (59, 221), (322, 281))  # fork vfork execve execveat
OTHERS: tuple[Numbers, ...] = (
    (101, 117), (310, 270), (311, 271), (200, 130), (424, 424), (438, 438),  # ptrace process_vm_* tkill pidfd_*
    (321, 280), (323, 282), (298, 241), (248, 217), (249, 218), (250, 219),  # bpf userfaultfd perf_event_open keys
    (165, 40), (166, 39), (155, 41), (272, 97), (308, 268), (161, 51),  # mount umount2 pivot_root unshare setns chroot
    (319, 279), (447, 447), (29, 194), (64, 190), (68, 186), (240, 180),  # memfd_* shmget semget msgget mq_open
    (30, 196), (31, 195), (71, 187), (65, 193), (241, 181), (141, 140), (251, 30),  # shm* msgctl semop mq_* *prio*
    (312, 272), (434, 434), (440, 440), (448, 448),  # kcmp pidfd_open process_*
)  # fmt: skip
MODES: tuple[Numbers, ...] = (
    (90, NONE), (91, 52), (268, 53), (452, 452), (92, NONE), (93, 55), (94, NONE), (260, 54),  # chmod chown
    (132, NONE), (235, NONE), (261, NONE), (280, 88),  # utime
    (188, 5), (189, 6), (190, 7), (197, 14), (198, 15), (199, 16),  # xattr
)  # fmt: skip
CHANGES: tuple[Numbers, ...] = (
    (85, NONE), (87, NONE), (263, 35), (82, NONE), (264, 38), (316, 276), (83, NONE), (258, 34), (84, NONE),
    (86, NONE), (265, 37), (88, NONE), (266, 36), (76, 45), (133, NONE), (259, 33),
)  # fmt: skip
OPEN: tuple[tuple[Numbers, int], ...] = (((2, NONE), 1), ((257, 56), 2))  # with the place of the flags
UNKNOWN: tuple[Numbers, ...] = ((435, 435), (425, 425), (437, 437))  # clone3 io_uring_setup openat2: "not there"
CLONE: Numbers = (56, 220)
OWN: tuple[Numbers, ...] = (
    (62, 129), (234, 131), (129, 138), (297, 240),  # kill tgkill rt_*sigqueueinfo
    (302, 261), (144, 119), (142, 118), (314, 274), (203, 122),  # prlimit64 sched_set*
)  # fmt: skip
"""Calls whose first argument names a process: this one, or 0 where that means the caller."""
KILLS = frozenset([62, 129, 131, 138, 234, 240, 297])
COMMANDS: tuple[tuple[Numbers, int, tuple[int, ...]], ...] = (
    ((72, 25), 1, (8, 10, 15, 1024, 1026)),  # fcntl F_SETOWN F_SETSIG F_SETOWN_EX F_SETLEASE F_NOTIFY
    ((16, 29), 1, (0x5412, 0x40086602, 0x401C5820, 0x40049409, 0x4020940D)),  # ioctl TIOCSTI FS_IOC_SET* FICLONE*
)
"""Calls with the place of an argument, and its values that are refused."""
SOCKETPAIR: Numbers = (53, 199)
STREAM, KIND = 1, 0xF  # of a pair of sockets; others may send to whom they like


class Step(NamedTuple):
    """One instruction of the filter: code, jumps where it holds and where not, operand."""

    code: int
    yes: int
    no: int
    operand: int


def refuse(*, files: bool, run: bool) -> str:
    """Install the filter for all threads of a process without privileges; says what holds now, else empty.

    `files`: refuse every opening for writing too. `run`: programs may be started.
    """
    machine = platform.machine()
    if machine not in ARCHITECTURES or sys.maxsize < 1 << 32:
        return ""
    program = b"".join(struct.pack("=HBBI", *step) for step in _filter(machine, files=files, run=run))
    buffer = ctypes.create_string_buffer(program)
    header = struct.pack("HL", len(program) // 8, ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    number = ctypes.c_long(SECCOMP[machine])
    if library.syscall(number, ctypes.c_long(SET_FILTER), ctypes.c_long(THREAD_SYNC), header) != 0:
        return ""
    what = ["no network", "no signals to other processes", "no changes of modes"]
    what += [] if run else ["no new processes"]
    what += ["no writing at all"] if files else []
    return f"seccomp: {', '.join(what)}"


def _filter(machine: str, *, files: bool, run: bool) -> list[Step]:
    architecture, column = ARCHITECTURES[machine]
    steps = [
        Step(LOAD, 0, 0, ARCHITECTURE),
        Step(EQUAL, 1, 0, architecture),
        Step(RETURN, 0, 0, FAIL | errno.EPERM),
        Step(LOAD, 0, 0, NUMBER),
    ]
    if machine == "x86_64":
        steps += [Step(AT_LEAST, 0, 1, X32), Step(RETURN, 0, 0, FAIL | errno.EPERM)]
    for numbers in UNKNOWN:
        steps += _fails(numbers[column], errno.ENOSYS)
    for numbers in (*NETWORK, *(() if run else PROCESSES), *OTHERS, *MODES, *(CHANGES if files else ())):
        steps += _fails(numbers[column], errno.EPERM)
    if not run:
        steps += _unless(CLONE[column], 0, Step(ANY_BIT, 1, 0, CLONE_THREAD))
    for numbers in OWN:
        steps += _unless(numbers[column], 0, Step(EQUAL, 1, 0, os.getpid()), nobody=numbers[column] not in KILLS)
    for numbers, place, refused in COMMANDS:
        for value in refused:
            steps += _unless(numbers[column], place, Step(EQUAL, 0, 1, value))
    steps += _unless(SOCKETPAIR[column], 1, Step(EQUAL, 1, 0, STREAM), mask=KIND)
    for numbers, place in OPEN:  # O_TRUNC empties a file that is only read from, and older Landlocks let it
        steps += _unless(numbers[column], place, Step(EQUAL, 0, 1, os.O_TRUNC), mask=os.O_TRUNC | os.O_ACCMODE)
    for numbers, place in OPEN if files else ():
        steps += _unless(numbers[column], place, Step(ANY_BIT, 0, 1, WRITES))
    return [*steps, Step(RETURN, 0, 0, ALLOW)]


def _fails(number: int, error: int) -> list[Step]:
    return [Step(EQUAL, 0, 1, number), Step(RETURN, 0, 0, FAIL | error)] if number != NONE else []


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
