"""Forked children that run tasks: started, asked, watched over, ended with all that they have started.

A child that has answered waits for the next question about the same function: what JAX has traced and compiled for one
answer serves the next, which is often about the same program with another start of a carry.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from ..sandbox.idleness import used
from ..sandbox.limits import memory
from .removal import remove
from .watch import Message, Watch, exit_text, resident

TICK = 0.05
ENDING_SECONDS = 5.0
SEND_SECONDS = 5.0
NO_PIPE = 113  # exit code of a task's process that cannot answer
APART = frozenset(["new", "old", "asked", "harvested", "folder"])
"""What questions about one function differ in."""
SHARE = 4  # of the memory that a task may use, what a child may hold that waits for the next one
Work = Callable[[Message, IO[str], IO[str], str, str], None]
"""Answers a first request and those that come after it, in a folder, its lines marked with a token."""


@dataclass
class ForkedTask:
    """A forked process that answers questions about one function, one after the other."""

    process: int
    first: Message
    folder: str
    token: str
    kept: bool
    asking: int
    reading: int
    waits: bool = field(default=False, init=False)
    answered: int = field(default=0, init=False)

    @classmethod
    def forked(cls, request: Message, work: Work) -> ForkedTask:
        """A process with its first question; it is ended by `end`."""
        kept = "plan" in request
        folder = str(request["folder"]) if kept else tempfile.mkdtemp(prefix="task-", dir=str(request["folder"]))
        token = secrets.token_hex(16)
        reading, writing = os.pipe()
        asked, asking = os.pipe()
        process = os.fork()
        if process == 0:
            code = 1
            try:
                os.setsid()
                _close_all_but(asked, writing)
                with os.fdopen(asked, encoding="utf-8") as lines, os.fdopen(writing, "w", encoding="utf-8") as stream:
                    work(request, lines, stream, folder, token)
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        os.close(asked)
        os.set_blocking(asking, False)
        return cls(process, request, folder, token, kept, asking, reading)

    def answer(self, request: Message, requests: int) -> Message | None:
        """The answer to the question that the process has, or how it ended; and whether it waits for another one now.

        None where it ended by itself and had answered others: a new one is asked.
        """
        watch = Watch(self.process, self.token, float(str(request["timeout"])), self.folder)
        said = _await(watch, self.reading, requests)
        if self.answered and watch.answer is None and not watch.over and not watch.forged:
            return None
        self.answered += 1
        again = watch.answer is not None and not watch.forged and not self.kept and not request["old_file"]
        self.waits = again and watch.waits and self.light(watch.timeout)
        return said

    def light(self, seconds: float) -> bool:
        """The process has used little of what one task may use, and has left no other one."""
        spent = used(self.process)
        small = spent is not None and spent < seconds and resident(self.process) < memory() // SHARE
        return small and not {*_children()} - {self.process}

    def takes(self, request: Message) -> bool:
        """Ask another question, if the process is there and stands for such a one."""
        if not self.waits or _common(request) != _common(self.first) or _poll(self.process) is not None:
            return False
        self.waits = False
        return _written(self.asking, json.dumps(request).encode() + b"\n")

    def end(self) -> None:
        """End the process, and remove its folder."""
        _end(self.process)
        os.close(self.reading)
        os.close(self.asking)
        if not self.kept:
            remove(self.folder)


def _common(request: Message) -> Message:
    """What the questions have in common that one process answers."""
    return {name: value for name, value in request.items() if name not in APART}


def _written(pipe: int, data: bytes) -> bool:
    """Write all of it, unless nobody reads it."""
    deadline = time.monotonic() + SEND_SECONDS
    while data and time.monotonic() < deadline:
        _, ready, _ = select.select([], [pipe], [], TICK)
        try:
            data = data[os.write(pipe, data) :] if ready else data
        except OSError:
            return False
    return not data


def _close_all_but(*kept: int) -> None:
    """Close every descriptor beyond the standard ones, which lead nowhere."""
    before = 3
    for descriptor in sorted(kept):
        os.closerange(before, descriptor)
        before = descriptor + 1
    os.closerange(before, 4096)


def _await(watch: Watch, reading: int, requests: int) -> Message:
    """Read the child's lines until its answer, its end, or its time is over."""
    closed = False
    while not closed and watch.running():
        ready, _, _ = select.select([reading], [], [], TICK)
        if ready:
            chunk = os.read(reading, 1 << 16)
            watch.feed(chunk)
            closed = not chunk
        elif abandoned(requests):
            watch.over = "the run was ended"
    status = _poll(watch.process)
    deadline = time.monotonic() + TICK
    while closed and status is None and time.monotonic() < deadline:
        time.sleep(0.002)
        status = _poll(watch.process)
    if closed and status in (None, NO_PIPE):
        watch.over = watch.over or "the code under test closed the verifier's pipe"
    return watch.verdict(exit_text(status) if status is not None else "")


def abandoned(requests: int) -> bool:
    """Whether nobody waits for the answer any more."""
    if not hasattr(select, "poll"):
        return False
    look = select.poll()
    look.register(requests, select.POLLHUP)
    return any(event & select.POLLHUP for _, event in look.poll(0))


def _poll(child: int) -> int | None:
    """The exit code of the child, which is left to be waited for; None while it runs."""
    found = os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if found is None:
        return None
    return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status


def _end(child: int) -> None:
    """Kill the child, its group, and whatever it left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # the group has ended by itself
        os.killpg(child, signal.SIGKILL)
    deadline = time.monotonic() + ENDING_SECONDS
    while time.monotonic() < deadline:
        for process in {child, *_children()}:
            with contextlib.suppress(ProcessLookupError, PermissionError):  # the process has ended by itself
                os.kill(process, signal.SIGKILL)
        try:
            done, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:  # no child is left
            return
        if not done:
            time.sleep(0.002)


def _children() -> list[int]:
    """The processes that are this one's children now, orphans of the task among them; Linux only."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as stream:
            return [int(x) for x in stream.read().split()]
    except (OSError, ValueError):  # systems that list no children: the group is ended
        return []
