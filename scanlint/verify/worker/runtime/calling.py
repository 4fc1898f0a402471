"""Calling a version: which leaves are traced, time limits."""

from __future__ import annotations

import ast
import contextlib
import functools
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import jax
import numpy as np

from ..sandbox.idleness import Idleness
from .jax_errors import Fact, says
from .jax_functions import attribute, traced_as_before

T = TypeVar("T")
Values = dict[str, object]
"""Arguments, by parameter."""


class TookTooLong(BaseException):
    """Raised in the code under test when its time for one case is over."""


WALL = 5.0
SEED = 0
MOST_WRAPPED = 16
LOOK_SECONDS = 0.5
AGAIN_SECONDS = 0.25


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Interrupt Python code after some seconds of processor time, or when it has slept for five times as many seconds.

    Waiting for a processor on a busy machine counts as neither.
    A compiled loop only ends with the process. The timer fires repeatedly, since an exception raised within a callback
    of the garbage collector is lost. A limit inside another one gives back what was left of the outer one.
    """
    if not hasattr(signal, "setitimer"):
        yield
        return

    sleeping: list[Idleness] = []  # made when the bell first rings: to look takes half a millisecond

    def ring(number: int, frame: object) -> None:
        if not sleeping:
            sleeping.append(Idleness(os.getpid()))
        sleeping[0].look()
        if number == signal.SIGPROF or sleeping[0].seconds > WALL * seconds - 2 * LOOK_SECONDS:
            raise TookTooLong

    bells = ((signal.ITIMER_PROF, signal.SIGPROF, seconds), (signal.ITIMER_REAL, signal.SIGALRM, LOOK_SECONDS))
    previous = [signal.signal(number, ring) for _, number, _ in bells]
    started = (time.process_time(), time.monotonic())
    outer = [signal.setitimer(timer, limit, AGAIN_SECONDS)[0] for timer, _, limit in bells]
    try:
        with traced_as_before():
            yield
    finally:
        for timer, _, _ in bells:
            signal.setitimer(timer, 0)
        for (_, number, _), handler in zip(bells, previous, strict=True):
            signal.signal(number, handler)
        spent = (time.process_time() - started[0], time.monotonic() - started[1])
        for (timer, _, _), left, gone in zip(bells, outer, spent, strict=True):
            if left:
                signal.setitimer(timer, max(left - gone, AGAIN_SECONDS), AGAIN_SECONDS)


def in_time(run: Callable[[], T], seconds: float | None = None) -> T | None:
    """What a run of code under test gives; None where it raises, or takes too long."""
    try:
        with limited(seconds) if seconds is not None else contextlib.nullcontext():
            return run()
    except (Exception, TookTooLong):  # noqa: BLE001 - code of others, whatever it raises: who calls takes it for nothing
        return None


@dataclass(frozen=True)
class Signature:
    """Parameters in order, by how they are passed; `star` and `double` take further ones: `*others`, `**options`."""

    positional: tuple[str, ...]
    keyword: tuple[str, ...] = ()
    static: frozenset[str] = frozenset()
    star: str = ""
    double: str = ""

    @classmethod
    def of(cls, node: ast.FunctionDef | ast.AsyncFunctionDef, static: frozenset[str]) -> Signature:
        a = node.args
        places, named = tuple(x.arg for x in (*a.posonlyargs, *a.args)), tuple(x.arg for x in a.kwonlyargs)
        star, double = f"*{a.vararg.arg}" if a.vararg else "", f"**{a.kwarg.arg}" if a.kwarg else ""
        return cls(places, named, static, star, double)

    def call(self, function: Callable[..., object], values: dict[str, object]) -> object:
        """The result; each call draws the same numbers from the generators of the process."""
        random.seed(SEED)
        np.random.seed(SEED)
        positional: list[object] = []
        rest: dict[str, object] = {n: values[n] for n in self.keyword if n in values}
        gap = False
        for name in self.positional:
            if name not in values:
                gap = True
            elif gap:
                rest[name] = values[name]
            else:
                positional.append(values[name])
        further, options = values.get(self.star, ()), values.get(self.double, {})
        positional += further if isinstance(further, tuple) and not gap else ()
        return function(*positional, **rest, **(options if isinstance(options, dict) else {}))


@dataclass
class Split:
    """Arguments split into traced leaves and the rest."""

    leaves: list[object]
    rebuild: Callable[[Sequence[object]], dict[str, object]]

    def only(self, wanted: Callable[[object], bool]) -> Split:
        """A split with fewer traced leaves: the others keep their values."""
        at = [i for i, leaf in enumerate(self.leaves) if wanted(leaf)]

        def rebuild(leaves: Sequence[object]) -> dict[str, object]:
            whole = list(self.leaves)
            for i, leaf in zip(at, leaves, strict=True):
                whole[i] = leaf
            return self.rebuild(whole)

        return Split([self.leaves[i] for i in at], rebuild)


def split(values: dict[str, object], static: frozenset[str], *, numbers: bool) -> Split:
    """Arrays are traced; Python numbers too where `numbers`, unless their parameter is static."""
    flat, tree = jax.tree_util.tree_flatten(
        {k: v for k, v in values.items() if k not in static}, is_leaf=lambda x: x is None
    )
    kept = {k: v for k, v in values.items() if k in static}
    at = [i for i, leaf in enumerate(flat) if _traced(leaf, numbers)]

    def rebuild(leaves: Sequence[object]) -> dict[str, object]:
        whole = list(flat)
        for i, leaf in zip(at, leaves, strict=False):
            whole[i] = leaf
        return {**jax.tree_util.tree_unflatten(tree, whole), **kept}

    return Split([flat[i] for i in at], rebuild)


def _traced(leaf: object, numbers: bool) -> bool:
    if isinstance(leaf, (jax.Array, np.ndarray, np.generic, jax.ShapeDtypeStruct)):
        return True
    return numbers and isinstance(leaf, (bool, int, float, complex))


def mapped(change: Callable[[object], object], values: Values) -> Values:
    """The arguments with each leaf changed."""
    return {name: jax.tree_util.tree_map(change, value) for name, value in values.items()}


def without_elements(values: Values) -> bool:
    return any(isinstance(x, (jax.Array, np.ndarray)) and x.size == 0 for x in jax.tree_util.tree_leaves(values))


def without_trips(values: Values, error: Exception) -> bool:
    """Whether an error is explained by a trip count of zero: the loop would index an array that has no rows."""
    return any(type(x) is int and x == 0 for x in values.values()) and says(error, Fact.NO_ROWS)


def jitted(function: object) -> bool:
    """Whether a function is the result of `jax.jit`."""
    return (attribute(function, "lower") is not None and attribute(function, "trace") is not None) or type(
        function
    ).__name__ == "PjitFunction"


def innermost(function: object) -> object:
    """The function that partial calls, `jax.jit` and other wrappers stand around."""
    for _ in range(MOST_WRAPPED):
        inner = function.func if isinstance(function, functools.partial) else attribute(function, "__wrapped__")
        if inner is None:
            break
        function = inner
    return function


def plain(function: Callable[..., object]) -> Callable[..., object]:
    """A function without its outermost `jax.jit`: its Python runs anew on every call."""
    inner = attribute(function, "__wrapped__", None)
    return inner if jitted(function) and callable(inner) else function
