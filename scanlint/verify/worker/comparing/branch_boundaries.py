"""Inputs at the boundaries of the old version's tests, between two inputs that take different paths.

A wrong test shows there: on one side, on the tie itself, or with another sign in a second argument.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import jax
import numpy as np

from ..runtime.calling import Values, in_time
from ..runtime.jax_functions import attribute, placed
from ..search.case_values import Case
from .branch_cover import Way
from .judge import Judge
from .result_trees import floating

MAX_TURNS = 8
MAX_BESIDE = 4  # leaves whose signs are changed
STEPS = 70
AWAY = 1e-4  # of the distance between two inputs: more than rounding
QUICK_SECONDS = 0.05
EXACT = ("few different values", "ones")  # cases of small whole numbers
MOST_EXACT = 2
SINGULAR = "zeros"  # where a root or a quotient has no derivative
BEYOND = (1e4, 0.0, -1e4)


def of_each_outcome(judges: Sequence[Judge], known: Collection[str]) -> list[Case]:
    """Cases in which tests come out as they do in none of the `known` ones, and ties: each arm has its own derivative.

    Of the ties between two inputs one is taken on each side.
    """
    ran = [one for judge in judges for one in judge.ran if one[0] != SINGULAR]
    seen = {outcome for label, _, way in ran if label in known for outcome in way}
    found = []
    for label, values, way in ran:
        if not seen.issuperset(way):
            seen.update(way)
            found.append(Case(label, lambda v=values: v, ordinary=False))  # type: ignore[misc]
    ties = [case for judge in judges for case in judge.ties]
    return found + [case for at, case in enumerate(ties) if [c.label for c in ties[:at]].count(case.label) < 2]


class Turn(NamedTuple):
    """The nearest inputs on both sides of a boundary, two that are clearly on one side, and the path beyond it."""

    sides: tuple[Values, Values]
    away: tuple[Values, Values]
    other: Way


def turns(judge: Judge) -> Iterator[Case]:
    """Cases on both sides of the boundaries between the cases that were run, as near as floats allow."""
    if judge.pair.pace.usual is None or judge.pair.pace.usual > QUICK_SECONDS:
        return
    seen: set[Way] = set()
    for (first, a, way), (second, b, other) in itertools.combinations(judge.ran, 2):
        if len(seen) >= MAX_TURNS:
            return
        if way == other or _kind(a) != _kind(b) or _until(way, other) in seen:
            continue
        turn = _turn(judge, a, b, way)
        if turn is None:
            continue
        seen |= {_until(way, other), _until(way, turn.other)}
        label = f"a boundary between {first} and {second}"
        for values in turn.away:
            yield Case(label, lambda v=values: v, ordinary=False)  # type: ignore[misc]
        for values in turn.sides:
            for beside in _signed(values):
                yield Case(label, lambda v=beside: v, ordinary=False, tie=True)  # type: ignore[misc]


def ties_of_numbers(judge: Judge) -> Iterator[Case]:
    """Cases in which a Python float equals what it is compared with, beside arrays of small whole numbers."""
    function = judge.pair.old.function
    compared = set(_compared(function)) if function is not None else set[str]()
    exact = [(label, values) for label, values, _ in judge.ran if label.startswith(EXACT)]
    if not compared or judge.pair.pace.usual is None or judge.pair.pace.usual > QUICK_SECONDS:
        return
    for label, values in exact[:MOST_EXACT]:
        way = _way(judge, values)
        for name in [n for n, x in values.items() if isinstance(x, float) and n in compared]:
            others = ({**values, name: n} for n in BEYOND)
            turn = next((t for b in others if way is not None and (t := _turn(judge, values, b, way))), None)
            for side in turn.sides if turn is not None else ():
                yield Case(f"a tie of {name}, {label}", lambda v=side: v, ordinary=False, tie=True)  # type: ignore[misc]


def _compared(function: ast.AST) -> Iterator[str]:
    """The names that are compared with what is no constant."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            names = [side.id for side in sides if isinstance(side, ast.Name)]
            yield from names if not any(isinstance(side, ast.Constant) for side in sides) else ()


def _until(way: Way, other: Way) -> Way:
    """The common prefix of two paths, and the first decision in which they differ."""
    common = [a for a, b in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(way, other, strict=False))]
    rest = way[len(common) :][:1] or other[len(common) :][:1]
    return (*common, *((point, True) for point, _ in rest))


def _turn(judge: Judge, a: Values, b: Values, way: Way) -> Turn | None:
    """The boundary between two inputs, by bisection; None if their floats do not determine the path."""
    low, high = a, _between(a, b, 1.0)
    other = _way(judge, high)
    if other is None or other == way:
        return None
    at, end = 0.0, 1.0
    for _ in range(STEPS):
        middle = (at + end) / 2
        values = _between(a, b, middle)
        found = way if _same(values, low) else other if _same(values, high) else _way(judge, values)
        if found is None:
            return None
        if found == way:
            at, low = middle, values
        else:
            end, high, other = middle, values, found
    return Turn((low, high), (_between(a, b, at - AWAY), _between(a, b, end + AWAY)), other)


def _way(judge: Judge, values: Values) -> Way | None:
    judge.coverage.begin()
    ran = in_time(lambda: [judge.pair.run_old(values, judge.pair.pace.boundary_patience)])
    return judge.coverage.way() if ran is not None else None  # no boundary is found from there


def _between(a: Values, b: Values, part: float) -> Values:
    """The floats of `a` moved that part of the way to those of `b`."""

    def leaf(x: object, y: object) -> object:
        if not _moves(x):
            return x
        first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
        return _like(x, (1 - part) * first + part * second)

    return jax.tree_util.tree_map(leaf, a, b)  # type: ignore[no-any-return]


def _signed(values: Values) -> Iterator[Values]:
    """The values, then each float leaf with the others' signs changed, and with its own sign changed."""
    yield values
    flat, tree = jax.tree_util.tree_flatten(values)
    places = [i for i, x in enumerate(flat) if _moves(x)]
    if not 1 < len(places) <= MAX_BESIDE:
        return
    found = [values]
    for place, sign, alone in itertools.product(places, (1.0, -1.0), (True, False)):
        changed = [i for i in places if (i == place) == alone]
        beside = jax.tree_util.tree_unflatten(
            tree, [_sided(x, sign) if i in changed else x for i, x in enumerate(flat)]
        )
        if not any(_same(beside, other) for other in found):
            found.append(beside)
            yield beside


def _sided(x: object, sign: float) -> object:
    plain = np.asarray(x, np.float64)
    return _like(x, sign * np.where(plain == 0, 1.0, np.abs(plain)))


def _like(x: object, plain: np.ndarray) -> object:
    """As a leaf of the same kind; Python numbers such that single precision holds them."""
    return float(np.float32(plain)) if isinstance(x, float) else placed(plain, x.dtype)  # type: ignore[attr-defined]


def _moves(x: object) -> bool:
    return isinstance(x, float) or floating(x)


def _kind(values: Values) -> object:
    flat, tree = jax.tree_util.tree_flatten(values)
    return tree, [(np.shape(x), attribute(x, "dtype", type(x))) for x in flat]


def _same(a: Values, b: Values) -> bool:
    pairs = zip(jax.tree_util.tree_leaves(a), jax.tree_util.tree_leaves(b), strict=True)
    return all(np.array_equal(x, y) for x, y in pairs if _moves(x))
