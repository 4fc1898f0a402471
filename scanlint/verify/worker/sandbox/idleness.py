"""What the system tells of a process: its processor time, and whether it sleeps or waits for a processor."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field

BUSY = 0.05  # share of the time that passed in which a process that does not sleep runs, or waits to


def used(process: int) -> float | None:
    """Seconds of processor time of all threads; None on systems that do not tell."""
    if process == os.getpid():
        return time.process_time()
    try:
        with open(f"/proc/{process}/stat", "rb") as stream:
            fields = stream.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):  # the process has ended
        return None


def waited(process: int) -> float:
    """Seconds that threads of a process were ready to run and did not; none on systems that do not tell."""
    found = 0.0
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/schedstat", "rb") as stream:
                found += int(stream.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return found
    return found


@dataclass
class Idleness:
    """The seconds in which a process was seen to sleep: from one look to the next it neither ran nor waited to."""

    process: int
    seconds: float = 0.0
    last: float = field(default_factory=time.monotonic)
    active: float = 0.0

    def __post_init__(self) -> None:
        self.active = self.activity()

    def activity(self) -> float:
        return (used(self.process) or 0.0) + waited(self.process)

    def look(self) -> None:
        """Count the time since the last look, where the process slept in it."""
        now, active = time.monotonic(), self.activity()
        passed = now - self.last
        if passed > 0 and active - self.active < BUSY * passed:
            self.seconds += passed
        self.last, self.active = now, active
