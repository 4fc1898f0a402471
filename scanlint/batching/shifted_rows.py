"""Rows that are read at a distance from the index: `xs[i - 1]` beside `xs[i]`, of a range that does not begin at 0."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from scanlint.loops.rows.read_rows import read_row
from scanlint.loops.streams import Stream
from scanlint.syntax.bindings import Names
from scanlint.trace.unit import Unit


@dataclass(slots=True)
class Rows:
    """One array that gives each example a row: `places` are the reads `xs[i]`, `target` the loop variable.

    `name` is what the loop calls `xs[i]`, where a statement that needs not be kept says so. `loose`: it may be a list,
    `beside` are the arrays at its side that may be shorter. `cut` is the slice with all rows that are read at a
    `distance` from the index.
    """

    array: ast.expr
    axis: int
    places: list[ast.Subscript] = field(default_factory=list)
    target: ast.expr | None = None
    reverse: bool = False
    name: str | None = None
    loose: bool = False
    beside: tuple[ast.expr, ...] = ()
    cut: str = ""
    distance: int = 0


def shifted_row(unit: Unit, counter: Stream, use: ast.Name, bound: Names) -> Rows | None:
    """The array of which a use of a range's number reads a row on each trip, at a distance from it."""
    row = read_row(unit, counter, use, bound) if counter.stop is not None else None
    if row is None or row.backward or row.distance is None:
        return None
    return Rows(row.place.value, 0, [row.place], cut=row.cut, distance=row.distance)
