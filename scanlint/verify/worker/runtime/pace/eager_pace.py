"""Runs the old version op by op, in the way that earlier runs showed to be quick."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import jax

from ..calling import TookTooLong, limited, plain
from ..jax_errors import untraceable
from ..jax_functions import finished, one_by_one
from ..loading import Loaded
from .compiled_callees import Callees

Function = Callable[..., object]
Result = TypeVar("Result")
SLOW_SECONDS = 0.4
CASE_SECONDS = 4.0
BOUNDARY_SECONDS = 0.5


@dataclass(eq=False)
class Pace:
    """Runs the old version's Python and learns from the times of its runs.

    Callees stay compiled, which is much faster, unless they do not trace. After a slow run the other functions of the
    module are compiled too; after another slow run nothing is compiled once, since a `cond` of lambdas is compiled anew
    on each trip of a loop. `usual`: seconds of the fastest run; `staged`: seconds of a slow run with compiled parts;
    `patience`: seconds that a run may take; `compilable`: whether the whole function compiles soon, by static values
    and shapes.
    """

    old: Loaded
    function: Function
    unstaged: bool = False
    usual: float | None = None
    staged: float | None = None
    callees: Callees | None = None
    patience: float = CASE_SECONDS
    compilable: dict[object, bool] = field(default_factory=dict)

    @property
    def boundary_patience(self) -> float:
        """The seconds for values at boundaries, where a `while` may never end: some times those of an ordinary run."""
        return self.patience if self.usual is None else min(self.patience, BOUNDARY_SECONDS + 8 * self.usual)

    def run(self, call: Callable[[Function], object], seconds: float | None = None) -> object:
        """The result of a call. Raises TookTooLong, and what the function raises."""
        seconds = seconds or self.patience
        try:
            return self._timed(call, seconds)
        except TookTooLong:
            if self.unstaged or self.staged is not None:
                raise
        self.unstaged, self.staged = True, math.inf
        try:
            return self._timed(call, seconds)
        except TookTooLong:
            self.unstaged = False
            raise

    def _timed(self, call: Callable[[Function], object], seconds: float) -> object:
        started = time.process_time()
        try:
            with limited(seconds), self.callees.used() if self.callees is not None else contextlib.nullcontext():
                return finished(self.eagerly(call))
        finally:
            self._learn(time.process_time() - started)

    def _learn(self, spent: float) -> None:
        self.usual = spent if self.usual is None else min(spent, self.usual)
        if self.unstaged and self.staged is not None and spent > self.staged:
            self.unstaged = False
        if spent <= SLOW_SECONDS:
            return
        if self.callees is None:
            self.callees = Callees(self.old, self.function)
        elif self.staged is None and not self.unstaged:
            self.unstaged, self.staged = True, spent

    def eagerly(self, call: Callable[[Function], Result]) -> Result:
        """Run the Python with its calls compiled, unless that does not trace."""
        if not self.unstaged:
            try:
                return call(plain(self.function))
            except Exception as error:
                if not untraceable(error):
                    raise
                self.unstaged = True
        with jax.disable_jit():
            try:
                return call(self.function)
            except jax.errors.ConcretizationTypeError:  # in what is mapped: it is called for one row after the other
                with one_by_one(self.old.names):
                    return call(self.function)
