"""Arrays that a loop over numbers reads row by row: what a scan can go over in place of the numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.read_rows import read_row
from scanlint.loops.streams import Stream, range_of
from scanlint.rewrite.emit.snippets import row_name
from scanlint.syntax.bindings import binds, parameters, reads, targets


class Row(NamedTuple):
    """An array of which each trip reads one row, at all these `places`, which are all that reads the loop variable.

    `xs` are the rows as source; the trips go through them from the last to the first where `backward`. `name` is what
    one of them is called.
    """

    places: tuple[ast.Subscript, ...]
    xs: str
    name: str
    backward: bool


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
    """The array whose rows a range serves to read, one a trip, wherever its number is used."""
    match model.streams:
        case (Stream(kind="range", target=ast.Name(id=target)) as stream,) if stream.counted is None:
            changing = binds(*model.node.body)
            if target in changing or _bound_inside(model, target):
                return None
            found = [read_row(model.unit, stream, use, changing) for use in _uses(model, target)]
        case _:
            return None
    known = [row for row in found if row is not None]
    if not known or len(known) < len(found):
        return None
    if len({(ast.unparse(row.place.value), row.cut, row.backward) for row in known}) > 1:
        return None
    array = ast.unparse(known[0].place.value)
    places = tuple(row.place for row in known)
    name = row_name(array.rpartition(".")[2], target)
    return Row(places, f"{array}{known[0].cut}", name, known[0].backward)


def counting(model: LoopModel) -> LoopModel:
    """A loop over `jnp.arange(n)` as one over `range(n)`, where its numbers only read rows, or nothing reads them."""
    match model.streams:
        case (Stream(kind="rows", target=ast.Name(id=name), array=ast.Call(args=args, keywords=[]) as call),):
            whole = all(v.static and v.dtype in ("int", None) for v in map(model.unit.value, args))
        case _:
            return model
    if not whole or model.live_targets or model.unit.resolve(call.func) != "jax.numpy.arange":
        return model
    numbers = replace(next(range_of(model.unit, ast.Name(name), args)), reverse=model.streams[0].reverse)
    made = LoopModel(model.unit, model.node, (numbers,), model.starts, model.buffers, model.lists)
    return made if not model.used(name) or rows_read_by_index(made) is not None else model


def _bound_inside(model: LoopModel, name: str) -> bool:
    """Whether a function or comprehension in the body has a variable of this name: some that reads it reads that."""
    inside = [part for statement in model.node.body for part in ast.walk(statement)]
    own = (parameters(p.args) for p in inside if isinstance(p, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))
    bound = (targets(p.target) for p in inside if isinstance(p, ast.comprehension))
    return any(name in names for names in (*own, *bound))


def _uses(model: LoopModel, index: str) -> list[ast.Name]:
    """Where the body reads the loop variable, but for what it no longer has once rows are stacked."""
    names = (n for s in model.node.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == index)
    return [n for n in names if n not in model.gone]
