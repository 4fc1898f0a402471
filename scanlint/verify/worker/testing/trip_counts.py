"""Whole numbers that decide how often a loop runs: more than 8 bits hold, and more than arrays have rows."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..infer.specs import Leaf, Scalar, Spec, Specs, every_leaf, replace, resized, sizes
from ..runtime.calling import Values
from ..runtime.free_names import words_in
from ..search.case_values import Case, Family, Filling, cases

LARGE = 300
NEGATIVE = (-9, -10)
LARGEST = 1500  # a run of more trips takes seconds
PATIENCE = 3.0
MOST_COUNTS = 3
FEW = 7  # usual cases have as many trips
MOST_AXES = 3
OUT_OF_EIGHT, OUT_OF_SIXTEEN = 600, 70_000  # so long that one element in two counts, and wraps
FILLINGS = (Filling("small values", scale=0.1),)  # on which few iterations overflow


class Enlarged(NamedTuple):
    """Cases in which one whole number is large; `limit`: it lies beyond a number that the new text alone has."""

    name: str
    trips: int
    cases: list[Case]
    limit: bool = False


def enlarged(families: Sequence[Family], integers: Sequence[int], limits: Sequence[int]) -> Iterator[Enlarged]:
    """For each whole number that is no length of an array: cases in which it is large, and beyond all `limits`."""
    beyond = dict.fromkeys(_beyond(limits), True)
    counts = beyond if max(beyond, default=0) >= LARGE else {LARGE: False, **beyond}
    yield from _at(families, integers, counts)


def negative(families: Sequence[Family], integers: Sequence[int]) -> Iterator[Enlarged]:
    """Cases in which one whole number is negative, even and odd: a loop makes no trip, and the rest still runs."""
    yield from _at(families, integers, dict.fromkeys(NEGATIVE, False))


def _at(families: Sequence[Family], integers: Sequence[int], counts: Mapping[int, bool]) -> Iterator[Enlarged]:
    made = next((f for f in families if f.specs is not None), None)
    if made is not None and made.specs is not None:
        for name in _numbers(made.specs)[:MOST_COUNTS]:
            for count, limit in counts.items():
                large = cases(_large(made.specs, name, count), iter(FILLINGS), integers)
                yield Enlarged(name, count, [_patient(c, name, count) for c in large], limit)
    elif families and families[0].real and families[0].cases:
        values = families[0].cases[0].make()
        for name in [n for n, v in values.items() if type(v) is int][:MOST_COUNTS]:
            for count, limit in counts.items():
                case = Case("", lambda v={**values, name: count}: dict(v))  # type: ignore[misc]
                yield Enlarged(name, count, [_patient(case, name, count)], limit)


def _beyond(limits: Sequence[int]) -> Iterator[int]:
    """Numbers on the far side of the largest limit and of the least one that is negative."""
    most = max((n for n in limits if FEW < n <= LARGEST), default=0)
    least = min((n for n in limits if -LARGEST <= n < 0), default=0)
    yield from ([most + 2] if most else [])
    yield from ([least - 3] if least else [])


def _patient(case: Case, name: str, count: int) -> Case:
    label = f"{case.label}, " if case.label else ""
    return Case(f"{label}{name} = {count}", case.make, ordinary=False, patience=PATIENCE)


def _numbers(specs: Specs) -> list[str]:
    found = every_leaf(specs)
    return [path for path, leaf in found if isinstance(leaf, Scalar) and leaf.kind == "int" and leaf.size is None]


def _large(specs: Specs, name: str, count: int) -> Specs:
    def change(leaf: Leaf, path: str) -> Spec:
        return Scalar("int", count) if path == name else leaf

    return {n: replace(spec, change, n) for n, spec in specs.items()}


def foreign(narrow: frozenset[str], old: ast.AST, values: Values) -> frozenset[str]:
    """The types of few bits that neither the text of the old version nor its arguments bring in."""
    import jax

    brought = {str(getattr(x, "dtype", "")) for x in jax.tree_util.tree_leaves(values)}
    return narrow - brought - words_in(old)


def lengthened(specs: Specs, narrow: frozenset[str], integers: Sequence[int]) -> Iterator[tuple[Specs, list[Case]]]:
    """The specs with one axis longer than these types can count, and cases that reach its far end."""
    longest = OUT_OF_EIGHT if max(np.dtype(n).itemsize for n in narrow) == 1 else OUT_OF_SIXTEEN
    fillings = (
        Filling("ordinary values", upto=longest),
        Filling("negative values with a large last one", seed=8, sign=-1, spot=1e3, last=True, upto=longest),
        Filling("one value", fill=1.0, upto=1),
    )
    for size in sizes(specs)[:MOST_AXES]:
        long = resized(specs, {size: longest})
        found = cases(long, iter(fillings), integers)
        yield long, [Case(f"{c.label}, {longest} rows", c.make, ordinary=False, patience=PATIENCE) for c in found]
