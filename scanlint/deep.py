"""A thread with a large stack, started only for recursion that does not fit the usual one."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

Result = TypeVar("Result")
SIZES = (512, 256, 128, 64, 32)
"""Megabytes of stack, the first that the system gives. Only what is used of it takes memory."""
FRAMES = 200
"""Frames for each megabyte. The dearest ones, which C code calls back, take less than half of what this leaves them."""
USUAL = 5000
"""Frames on the usual stack. Python's own limit of 1000 is a deep expression at the end of a few calls."""


class _Deep(threading.Thread, Generic[Result]):
    """A thread that does one thing, and holds what came of it."""

    def __init__(self, run: Callable[[], Result], frames: int) -> None:
        super().__init__(name="deep", daemon=True)
        self.answer: list[Result] = []
        self.error: BaseException | None = None
        self._run = run
        self._frames = frames

    def run(self) -> None:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), self._frames))
        try:
            self.answer.append(self._run())
        except BaseException as error:  # noqa: BLE001 - it is raised again by the one who waits
            self.error = error

    def result(self) -> Result:
        self.join()
        if self.error is not None:
            raise self.error
        return self.answer[0]


def at_bottom() -> bool:
    """This thread has the largest stack that there is: what does not fit is left, and said to be."""
    return isinstance(threading.current_thread(), _Deep)


def deeply(run: Callable[[], Result]) -> Result:
    """What a function gives. Where the stack is too small for it, it is run once more by a thread with a larger one.

    So it has to be one that can be run again. Raises RecursionError for what does not fit there either.
    """
    before = max(sys.getrecursionlimit(), USUAL)
    sys.setrecursionlimit(before)
    if at_bottom():
        return run()
    try:
        return run()
    except RecursionError:
        pass  # its traceback holds all frames: they are let go before the next try
    try:
        return _started(run).result()
    finally:
        sys.setrecursionlimit(before)


def _started(run: Callable[[], Result]) -> _Deep[Result]:
    """A thread with as much stack as there is to have."""
    for size in SIZES:
        before = threading.stack_size(size << 20)
        try:
            thread = _Deep(run, size * FRAMES)
            thread.start()
        except (RuntimeError, MemoryError):
            continue  # there is no such room: a smaller one is asked for
        finally:
            threading.stack_size(before)
        return thread
    raise RecursionError("there is no room for a larger stack")
