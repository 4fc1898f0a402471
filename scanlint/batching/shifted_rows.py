"""Rows that are read at a distance from the index: `xs[i - 1]` beside `xs[i]`, of a range that does not begin at 0."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from scanlint.loops.sizes.affine import add, polynomial, scale
from scanlint.loops.sizes.lengths import number, rows, size
from scanlint.loops.streams import Stream, is_array
from scanlint.syntax.bindings import Names, reads
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
    """The array of which `xs[i + k]` is a row on each trip of a range, as its lengths tell."""
    place = _place(unit, use)
    if place is None or counter.stop is None or counter.step is not None or counter.reverse:
        return None
    array, start = place.value, number(unit, counter.start) if counter.start is not None else 0
    if start is None or not isinstance(array, ast.Name | ast.Attribute) or reads(array) & bound:
        return None
    distance = add(polynomial(place.slice), {(use.id,): -1})
    have, stop = rows(unit, array), size(unit, counter.stop)
    if distance.keys() - {()} or have is None or stop is None or not is_array(unit, array):
        return None
    by = distance.get((), 0)
    left = add(add(have, scale(stop, -1)), {(): -by})
    if left.keys() - {()} or left.get((), 0) < 0 or start + by < 0:
        return None
    first, last = str(start + by) if start + by else "", f"-{left[()]}" if left else ""
    return Rows(array, 0, [place], cut=f"{first}:{last}" if first or last else "", distance=by)


def _place(unit: Unit, use: ast.Name) -> ast.Subscript | None:
    """The read of one row whose index is a sum with the loop variable in it."""
    node: ast.AST = use
    while isinstance(parent := unit.parents.get(node), ast.BinOp):
        node = parent
    match parent:
        case ast.Subscript(ctx=ast.Load(), slice=index) if index is node:
            return parent
    return None
