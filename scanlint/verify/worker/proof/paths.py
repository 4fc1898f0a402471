"""Trace a function once per path: every truth test on a tracer is decided, recorded, and then decided otherwise."""

from __future__ import annotations

import contextlib
import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import jax

if TYPE_CHECKING:
    from .equations import ClosedJaxpr

MAX_PATHS = 64
MAX_DECISIONS = 400
MOST_ASKED = 200


class _Forced:
    """Whether truth tests were decided since jit's caches were emptied: jit caches programs traced under decisions."""

    caches = False


def forget() -> None:
    """Empty jit's caches if they may hold programs that were traced under decisions."""
    if _Forced.caches:
        jax.clear_caches()  # type: ignore[no-untyped-call]
        _Forced.caches = False


class TooManyDecisions(Exception):
    """A loop or a chain of tests needs more decisions than the limit."""


@dataclass(frozen=True, slots=True)
class Path:
    """One traced path: the program, whose last outputs are the predicates, and what each was decided to be."""

    program: ClosedJaxpr
    tree: object
    decisions: tuple[bool, ...]


@contextlib.contextmanager
def deciding(decide: Callable[[object], bool]) -> Iterator[None]:
    """Within, `decide` gives the truth of tracers."""
    cls = jax.core.Tracer
    original = cls.__dict__["__bool__"]

    def truth(self: object) -> bool:
        if getattr(self.aval, "shape", ()) != ():  # type: ignore[attr-defined]
            return bool(original(self))
        _Forced.caches = True
        return decide(self)

    cls.__bool__ = truth  # type: ignore[method-assign]
    try:
        yield
    finally:
        cls.__bool__ = original  # type: ignore[method-assign]


@contextlib.contextmanager
def answering(way: Callable[[int], bool]) -> Iterator[None]:
    """Within, the truth of tracers is what `way` gives for the first time that one is asked for, the second and so on.

    Raises TooManyDecisions where there are too many.
    """
    asked = itertools.count(1)

    def decide(tracer: object) -> bool:
        if (number := next(asked)) > MOST_ASKED:
            raise TooManyDecisions
        return way(number)

    with deciding(decide):
        yield


def in_turns(asked: int) -> bool:
    """The truth tests on arrays are true and false in turns."""
    return asked % 2 == 1


def opposite(asked: int) -> bool:
    """The truth tests on arrays are false and true in turns."""
    return asked % 2 == 0


def trace(
    function: Callable[..., object], arguments: Sequence[object], plan: Sequence[bool], most: int = MAX_DECISIONS
) -> Path:
    """Trace along one plan of decisions; after its end every test is true."""
    taken: list[bool] = []
    trees: list[object] = []

    def whole(*leaves: object) -> list[object]:
        asked: list[object] = []

        def decide(tracer: object) -> bool:
            if len(taken) >= most:
                raise TooManyDecisions
            taken.append(plan[len(taken)] if len(taken) < len(plan) else True)
            asked.append(tracer)
            return taken[-1]

        with deciding(decide):
            result = function(*leaves)
        flat, tree = jax.tree_util.tree_flatten(result)
        trees.append(tree)
        return [*flat, *(jax.numpy.asarray(t, bool) for t in asked)]

    program = jax.make_jaxpr(whole)(*arguments)
    return Path(program, trees[-1], tuple(taken))


def paths(function: Callable[..., object], arguments: Sequence[object], most: int = MAX_DECISIONS) -> Iterator[Path]:
    """Every path; raises TooManyDecisions where there are more than MAX_PATHS, or one is too long.

    The earliest decisions are turned first: the plans that are left tell soon that there are too many.
    """
    plans, done = deque[list[bool]]([[]]), 0
    while plans:
        plan = plans.popleft()
        path = trace(function, arguments, plan, most)
        done += 1
        plans += [[*path.decisions[:at], not path.decisions[at]] for at in range(len(plan), len(path.decisions))]
        if done + len(plans) > MAX_PATHS:
            raise TooManyDecisions
        yield path
