"""Watches a task's process: what it reports, and whether it exceeds its time, memory or disk space."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import time
from dataclasses import dataclass, field

from ..sandbox.idleness import Idleness, used
from ..sandbox.limits import memory
from .endings import OTHERWISE, PROCESSOR

Message = dict[str, object]
WALL = 40.0  # a task's seconds on a machine on which forty others run
PARALLEL = 1.5  # processor seconds in a second of a task: XLA compiles in threads
FOLDER_BYTES = 1 << 30
LOOK_SECONDS = 0.5
STUCK_SECONDS = 15.0
STUCK_TIMES = 100.0  # times the old version's time
WARM_SECONDS = 0.1  # of the old version's time go into compiling
COMPARED = re.compile(r"^running the new version on (.*) \(the old one took ([\d.]+) s\)$", re.S)
MEASURING = "measuring"
RENEWALS = 3  # restarts of a task's clock: to search other files, to compare on their inputs, to measure


@dataclass
class Clock:
    """A process's processor time, and the time in which it neither runs nor waits for a processor.

    How busy the machine is changes neither, and so no verdict. Some systems tell neither: it is the time that passed.
    """

    process: int
    timeout: float
    started: float = field(default_factory=time.monotonic)
    before: float | None = None
    idle: Idleness = field(init=False)

    def __post_init__(self) -> None:
        self.before = used(self.process)
        self.idle = Idleness(self.process)

    def over(self) -> bool:
        passed, now = time.monotonic() - self.started, used(self.process)
        if passed > WALL * self.timeout:
            return True
        if now is None or self.before is None:
            return passed > self.timeout
        self.idle.look()
        return self.spent() or self.idle.seconds > self.timeout

    def spent(self) -> bool:
        """The processor time is used up, which is so however often it is tried; False on systems that tell nothing."""
        now = used(self.process)
        return now is not None and self.before is not None and now - self.before > PARALLEL * self.timeout


@dataclass
class Watch:
    """One task's process and its messages, which carry a token that only the verifier's side of it is given.

    `waits`: the process takes further questions, as it says with its answer. `endless`: the new version did not end;
    `busy`: nor did it wait for anything, which alone refutes.
    """

    process: int
    token: str
    timeout: float
    folder: str
    stage: str = "starting"
    answer: Message | None = None
    waits: bool = False
    kept: Message | None = None
    renewals: int = RENEWALS
    forged: bool = False
    over: str = ""
    limited: str = OTHERWISE
    endless: str = ""
    busy: bool = False
    stuck: Clock | None = None
    buffer: bytes = b""
    looked: float = 0.0
    clock: Clock = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Clock(self.process, self.timeout)

    def feed(self, data: bytes) -> None:
        """Take in what came through the pipe."""
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            message = self.decode(line)
            if message is None:
                self.forged = True
                continue
            if "stage" in message:
                self.enter(str(message["stage"]))
            self.again(message.get("kept"))
            answer = message.get("answer")
            self.answer = answer if isinstance(answer, dict) else self.answer
            self.waits = message.get("waits") is True

    def enter(self, stage: str) -> None:
        """Begin a stage; when it runs the new version, give that a limit in proportion to the old version's time."""
        self.stage, self.stuck = stage, None
        compared = COMPARED.match(stage)
        if compared is not None:
            usual = STUCK_TIMES * (float(compared[2]) - WARM_SECONDS)
            self.stuck = Clock(self.process, max(min(STUCK_SECONDS, self.timeout / 2), usual))

    def again(self, kept: object) -> None:
        """Keep the answer of a task that tries other inputs, and restart its clock."""
        if not isinstance(kept, dict):
            return
        self.kept = kept
        if self.renewals:
            self.renewals -= 1
            self.clock = Clock(self.process, self.timeout)

    def decode(self, line: bytes) -> Message | None:
        head, _, rest = line.partition(b" ")
        if head != self.token.encode():
            return None
        try:
            message = json.loads(rest)
        except ValueError:  # a line of the code under test, not of ours
            return None
        return message if isinstance(message, dict) else None

    def running(self) -> bool:
        """Whether the task is still running; if it exceeds a limit, `over` names the limit."""
        if self.answer is not None:
            return False
        if self.stuck is not None and self.stuck.over():
            self.over = f"the new version did not end within {self.stuck.timeout:g} s"
            self.endless, self.busy = self.over, self.stuck.spent()
        elif self.clock.over():
            self.over = f"timed out after {self.timeout:g} s"
            self.limited = PROCESSOR if self.clock.spent() else OTHERWISE
        elif time.monotonic() - self.looked > LOOK_SECONDS:
            self.looked = time.monotonic()
            if resident(self.process) > memory():
                self.over = "the code under test needs too much memory: it was ended"
            elif size(self.folder) > FOLDER_BYTES:
                self.over = "the code under test writes too much or too deep: it was ended"
        return not self.over

    def verdict(self, ended: str) -> Message:
        """The answer, or why there is none."""
        if self.forged or (self.buffer and self.answer is not None):
            return unknown(f"the code under test wrote into the verifier's pipe while {self.stage}")
        if self.answer is not None:
            return self.answer
        if self.endless and (compared := COMPARED.match(self.stage)) is not None:
            text = f"{compared[1]}: {self.endless}, and the old one took {compared[2]} s"
            refuted: Message = {"verdict": "refuted", "reason": "the two versions differ", "counterexample": text}
            return {**(refuted if self.busy else unknown(text)), "endless": True, "limited": OTHERWISE}
        why = f"{self.over or f'the code under test ended the process ({ended})'} while {self.stage}"
        if self.kept is not None:
            notes = self.kept.get("notes")
            what = "not measured" if self.stage == MEASURING else "other inputs"
            told = [*(notes if isinstance(notes, list) else []), f"{what}: {why}"]
            return {**self.kept, "notes": told, "limited": self.limited}
        return {**unknown(why), "limited": self.limited}


def unknown(reason: str) -> Message:
    return {"verdict": "unknown", "reason": reason}


def resident(process: int) -> int:
    """Bytes of memory in use, shared memory too; 0 on systems that do not tell."""
    try:
        with open(f"/proc/{process}/statm", "rb") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def size(folder: str) -> int:
    """Bytes of all files in a folder; without end where folders lie too deep for a path to lead there."""
    total, left = 0, [folder]
    while left:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except OSError as error:
            total += FOLDER_BYTES + 1 if error.errno == errno.ENAMETOOLONG else 0
    return total


def exit_text(status: int) -> str:
    """How a process ended, from its exit code: negative for signals."""
    if status >= 0:
        return f"exit code {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
