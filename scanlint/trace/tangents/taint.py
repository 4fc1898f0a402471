"""Tracks which arrays depend on differentiated ones, and through which loops: sets of marks, nested as values are."""

from __future__ import annotations

import ast
from collections.abc import Iterable

Mark = ast.AST | None
"""A loop that cannot be differentiated backwards; None for the argument itself."""
Taint = frozenset[Mark] | tuple["Taint", ...]
CLEAN: frozenset[Mark] = frozenset()
INPUT: frozenset[Mark] = frozenset([None])


def flat(taint: Taint) -> frozenset[Mark]:
    """The marks of all that is in a value."""
    return taint if isinstance(taint, frozenset) else union(taint)


def union(taints: Iterable[Taint]) -> frozenset[Mark]:
    """The marks of several values."""
    return CLEAN.union(*map(flat, taints))


def either(one: Taint, other: Taint) -> Taint:
    """The marks of a value that comes from one place or the other."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return tuple(either(a, b) for a, b in zip(one, other, strict=True))
    if one == other:
        return one
    if not flat(one):
        return other
    return one if not flat(other) else flat(one) | flat(other)


def marked(taint: Taint, loop: ast.AST) -> Taint:
    """The result of a loop: all that depends on the argument depends on it through the loop."""
    if isinstance(taint, tuple):
        return tuple(marked(part, loop) for part in taint)
    return taint | {loop} if taint else taint


def parts(taint: Taint, count: int) -> list[Taint]:
    """The parts of an unpacked value."""
    if isinstance(taint, tuple) and len(taint) == count:
        return list(taint)
    return [flat(taint)] * count
