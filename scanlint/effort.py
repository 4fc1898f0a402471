"""A time limit for the analysis of one unit: what takes longer is left and said to be, and the others go on.

The clock is asked at a few places that all work passes, so that this holds in any thread of any system.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

MOST_SECONDS = 10.0
"""Of the processor, for each stage of one unit. The most in public code are 1.2."""
TICKS = 128
"""Steps between two looks at the clock."""
processor_seconds = getattr(time, "thread_time", time.process_time)  # not every system has the first one


class TakesTooLong(Exception):
    """The unit that is being analysed has used up its time."""

    def __str__(self) -> str:
        return f"its analysis takes more than {MOST_SECONDS:g} s of processor time"


@dataclass(eq=False, slots=True)
class Account:
    """The processor time that one unit has taken."""

    spent: float = 0.0


class Stopwatch(threading.local):
    """Adds up what each account takes in a thread; while one runs within another, only the inner one pays."""

    def __init__(self) -> None:
        self._running: list[Account] = []
        self._since = 0.0
        self._ticks = 0

    def charging(self, account: Account) -> Charge:
        """Have an account pay for what is done meanwhile."""
        return Charge(self, account)

    def begin(self, account: Account) -> None:
        """An account pays from now on."""
        self._book()
        self._running.append(account)

    def end(self) -> None:
        """The account that was last to pay pays no more."""
        self._book()
        self._running.pop()

    def tick(self) -> None:
        """One step of the analysis. Raises TakesTooLong where the account that pays has nothing left."""
        self._ticks += 1
        if self._ticks >= TICKS:
            self.check()

    def check(self) -> None:
        """Look at the clock at once."""
        self._book()
        if self._running and self._running[-1].spent > MOST_SECONDS:
            raise TakesTooLong

    def _book(self) -> None:
        now = processor_seconds()
        if self._running:
            self._running[-1].spent += now - self._since
        self._since, self._ticks = now, 0


class Charge:
    """A context that charges an account for the time spent inside; `contextlib` would cost as much as a small task."""

    __slots__ = ("_account", "_watch")

    def __init__(self, watch: Stopwatch, account: Account) -> None:
        self._watch = watch
        self._account = account

    def __enter__(self) -> None:
        self._watch.begin(self._account)

    def __exit__(self, *raised: object) -> None:
        self._watch.end()


WATCH = Stopwatch()
"""The stopwatch; each thread has its own state."""
