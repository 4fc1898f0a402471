"""Calling a version: which leaves are traced, time limits, which lines were reached."""

from __future__ import annotations

import ast
import contextlib
import signal
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import jax
import numpy as np


class TookTooLong(BaseException):
    """Raised in the code under test when its time for one case is over."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Interrupt Python code after some seconds; compiled loops are only ended with the process."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise TookTooLong

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


@dataclass(frozen=True)
class Signature:
    """Parameters in order, by how they are passed."""

    positional: tuple[str, ...]
    keyword: tuple[str, ...] = ()
    static: frozenset[str] = frozenset()

    @classmethod
    def of(cls, node: ast.FunctionDef | ast.AsyncFunctionDef, static: frozenset[str]) -> Signature:
        a = node.args
        return cls(tuple(x.arg for x in (*a.posonlyargs, *a.args)), tuple(x.arg for x in a.kwonlyargs), static)

    def call(self, function: Callable[..., object], values: dict[str, object]) -> object:
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
        return function(*positional, **rest)


@dataclass
class Split:
    """Arguments cut into traced leaves and the rest."""

    leaves: list[object]
    rebuild: Callable[[Sequence[object]], dict[str, object]]


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


def jitted(function: object) -> bool:
    """Whether a function is the result of `jax.jit`."""
    return (hasattr(function, "lower") and hasattr(function, "trace")) or type(function).__name__ == "PjitFunction"


def plain(function: Callable[..., object]) -> Callable[..., object]:
    """A function without its outermost `jax.jit`: its Python runs anew on every call."""
    inner = getattr(function, "__wrapped__", None)
    return inner if jitted(function) and callable(inner) else function


@dataclass
class Reached:
    """Lines of some code objects that were executed, and which line followed which (-1: the function was left)."""

    codes: frozenset[types.CodeType]
    lines: set[int] = field(default_factory=set)
    arcs: set[tuple[int, int]] = field(default_factory=set)

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        codes, lines, arcs = self.codes, self.lines, self.arcs
        last: dict[types.FrameType, int] = {}

        def inner(frame: types.FrameType, event: str, argument: object) -> object:
            line = frame.f_lineno
            if event == "line":
                lines.add(line)
                arcs.add((last.get(frame, 0), line))
                last[frame] = line
            elif event == "return":
                arcs.add((last.pop(frame, 0), -1))
            return inner

        def outer(frame: types.FrameType, event: str, argument: object) -> object:
            return inner if frame.f_code in codes else None

        previous = sys.gettrace()
        sys.settrace(outer)  # type: ignore[arg-type]
        try:
            yield
        finally:
            sys.settrace(previous)


@dataclass
class Progress:
    """How many lines of one file were executed."""

    file: str
    events: int = 0

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        def inner(frame: types.FrameType, event: str, argument: object) -> object:
            self.events += event == "line"
            return inner

        def outer(frame: types.FrameType, event: str, argument: object) -> object:
            return inner if frame.f_code.co_filename == self.file else None

        previous = sys.gettrace()
        sys.settrace(outer)  # type: ignore[arg-type]
        try:
            yield
        finally:
            sys.settrace(previous)


def code_objects(function: object) -> frozenset[types.CodeType]:
    """The code of a function under its wrappers, with everything nested in it."""
    seen = 0
    while not isinstance(function, types.FunctionType) and seen < 20:
        seen += 1
        inner = getattr(function, "__wrapped__", None) or getattr(function, "__func__", None)
        inner = inner or getattr(function, "func", None) or getattr(function, "fun", None)
        if inner is None:
            return frozenset()
        function = inner
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    return frozenset(_nested(code)) if isinstance(code, types.CodeType) else frozenset()


def _nested(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _nested(constant)
