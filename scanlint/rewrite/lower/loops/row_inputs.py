"""Arrays that a loop over numbers reads row by row: what a scan can go over in place of the numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from scanlint.loops.loop import LoopModel
from scanlint.loops.sizes.lengths import made_with
from scanlint.loops.sizes.shape_reads import axis_read
from scanlint.loops.streams import is_array
from scanlint.rewrite.emit.snippets import row_name
from scanlint.rewrite.lower.loops.dynamic_slices import bound_once
from scanlint.syntax.bindings import binds, reads


class Row(NamedTuple):
    """An array (as source) of which each trip reads the row at the loop variable, and nothing else reads that.

    `xs` are its rows from the first to the last trip, `name` is what one of them is called.
    """

    array: str
    xs: str
    name: str


def naming(model: LoopModel, places: Sequence[ast.expr]) -> ast.Assign | None:
    """The statement `x = xs[i]` after which the row that is read at these places may be called `x` from the start."""
    body = model.node.body
    for at, statement in enumerate(body):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if any(value is place for place in places):
                others = binds(*body[:at]) | (binds(*body[at + 1 :]) if len(places) > 1 else frozenset())
                if name not in others | reads(*body[:at]) and name not in model.carried:
                    return statement
    return None


def rows_read_by_index(model: LoopModel) -> Row | None:
    """The array where `i` of `range(len(xs))`, or `range(1, len(xs))`, serves only to read `xs[i]`."""
    if len(model.streams) != 1:
        return None
    stream = model.streams[0]
    if stream.kind != "range" or stream.stop is None or stream.step is not None or stream.reverse:
        return None
    lower = ast.unparse(stream.start) if stream.start is not None else "0"
    return rows_between(model, lower, stream.stop)


def rows_between(model: LoopModel, lower: str, upper: ast.expr) -> Row | None:
    """The array whose rows from `lower` to before `upper` the loop reads, if it is known to end there."""
    counted, target = axis_read(model.unit, upper), model.streams[0].target
    if not lower.isdecimal() or not isinstance(target, ast.Name):
        return None
    bases = [_read_by(model, use) for use in _uses(model, target.id)]
    base = bases[0] if bases else None
    if base is None:
        return None
    array, made = ast.unparse(base), made_with(model.unit, base, upper)
    if any(b is None or ast.unparse(b) != array for b in bases) or not (made or counted == (array, 0)):
        return None
    if not is_array(model.unit, base) or reads(base) & binds(*model.node.body):
        return None
    if (
        isinstance(upper, ast.Name)
        and not made
        and not (isinstance(base, ast.Name) and {array, upper.id} <= bound_once(model))
    ):
        return None
    last = array.rpartition(".")[2]
    return Row(array, f"{array}[{lower}:]" if lower != "0" else array, row_name(last, target.id))


def _read_by(model: LoopModel, index: ast.Name) -> ast.expr | None:
    """What the loop variable alone reads a row of."""
    match model.unit.parents[index]:
        case ast.Subscript(value=ast.Name() | ast.Attribute() as array, slice=at, ctx=ast.Load()) if at is index:
            return array
    return None


def _uses(model: LoopModel, index: str) -> list[ast.Name]:
    """Where the body reads the loop variable, but for what it no longer has once rows are stacked."""
    names = (n for s in model.node.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == index)
    return [n for n in names if n not in model.gone]
