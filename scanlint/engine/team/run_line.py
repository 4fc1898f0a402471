"""The line that tells how far a check has come: `checking: 40%, about 12 s left`."""

from __future__ import annotations

import time
from collections.abc import Callable

from scanlint.verify.time_left import time_left

SHORT = 2.0
"""Seconds after which a run says how far it is."""
AGAIN = 0.2
"""Seconds between two lines."""


class RunLine:
    """Shows how far each step is, once the run has taken `after` seconds."""

    def __init__(self, show: Callable[[str], None], after: float = SHORT) -> None:
        self.show = show
        self._step = ""
        self._begun = self._next = 0.0
        self._first = time.monotonic() + after

    def __call__(self, step: str, done: int, total: int) -> None:
        now = time.monotonic()
        if step != self._step:
            self._step, self._begun = step, now
        if now >= max(self._first, self._next):
            self._next = now + AGAIN
            self.show(f"{step}: {100 * done // total}%{time_left(now - self._begun, done, total)}")
