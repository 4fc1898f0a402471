"""Arrays that a loop over numbers reads row by row: what a scan can go over in place of the numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from scanlint.loops.loop import LoopModel
from scanlint.loops.sizes.affine import Polynomial, add, scale
from scanlint.loops.sizes.lengths import exactly, rows, size
from scanlint.loops.streams import Stream, is_array, range_of
from scanlint.rewrite.emit.snippets import row_name
from scanlint.syntax.bindings import binds, reads


class Row(NamedTuple):
    """An array of which each trip reads one row, at all these `places`, which are all that reads the loop variable.

    `xs` are the rows as source; the trips go through them from the last to the first where `backward`. `name` is what
    one of them is called.
    """

    places: tuple[ast.Subscript, ...]
    xs: str
    name: str
    backward: bool


class Range(NamedTuple):
    """The numbers from `lower` to before `upper`, gone through from the last one down where `backward`."""

    lower: Polynomial
    upper: Polynomial
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
    """The array whose rows a range serves to read: by `i` of `range(len(xs))`, or `len(xs) - i` of `range(1, n + 1)`.

    An index is a sum with the loop variable in it. The numbers that it goes through decide, not its spelling: they lie
    within the array, and the next trip reads the next row, or the one before.
    """
    match model.streams:
        case (Stream(kind="range", target=ast.Name(id=target)) as stream,) if stream.counted is None:
            places = [_place(model, use) for use in _uses(model, target)]
        case _:
            return None
    found = [p for p in places if p is not None]
    if not found or len(found) < len(places) or len({ast.unparse(p.value) for p in found}) > 1:
        return None
    array, changing = found[0].value, binds(*model.node.body)
    if not is_array(model.unit, array) or (reads(array) | reads(*(p.slice for p in found)) - {target}) & changing:
        return None
    indices = [size(model.unit, p.slice, free={target}) for p in found]
    have, numbers = rows(model.unit, array), _numbers(model, stream)
    if have is None or numbers is None or any(index != indices[0] for index in indices):
        return None
    cut = _cut(_reached(numbers, indices[0] or {}, target), have)
    if cut is None:
        return None
    code = ast.unparse(array)
    name = row_name(code.rpartition(".")[2], target)
    return Row(tuple(found), f"{code}{cut[0]}", name, cut[1])


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


def _numbers(model: LoopModel, stream: Stream) -> Range | None:
    """The numbers of a range by 1 up or down."""
    by = model.unit.value(stream.step).constant if stream.step is not None else 1
    start = size(model.unit, stream.start) if stream.start is not None else {}
    stop = size(model.unit, stream.stop) if stream.stop is not None else None
    if start is None or stop is None or by not in (1, -1):
        return None
    if by == 1:
        return Range(start, stop, stream.reverse)
    return Range(add(stop, exactly(1)), add(start, exactly(1)), not stream.reverse)


def _reached(numbers: Range, index: Polynomial, target: str) -> Range | None:
    """The numbers that an index goes through; None where it does not move by 1 from trip to trip."""
    rest = {term: factor for term, factor in index.items() if term != (target,)}
    if any(target in term for term in rest):
        return None
    match index.get((target,)):
        case 1:
            return Range(add(numbers.lower, rest), add(numbers.upper, rest), numbers.backward)
        case -1:
            above = add(rest, exactly(1))
            lower, upper = add(above, scale(numbers.upper, -1)), add(above, scale(numbers.lower, -1))
            return Range(lower, upper, not numbers.backward)
    return None


def _cut(numbers: Range | None, have: Polynomial) -> tuple[str, bool] | None:
    """The slice that leaves the rows at these numbers, if they all lie within the array, from its end too."""
    if numbers is None:
        return None
    for whole in ({}, have):  # what is negative counts from the end
        first, rest = add(numbers.lower, whole), add(have, scale(add(numbers.upper, whole), -1))
        if not (first.keys() | rest.keys()) - {()}:
            skipped, left = first.get((), 0), rest.get((), 0)
            if skipped >= 0 and left >= 0:
                stop = -left if have.keys() - {()} else max(have.get((), 0) - left, 0)
                cut = f"{skipped or ''}:{stop if left else ''}"
                return "" if cut == ":" else f"[{cut}]", numbers.backward
    return None


def _place(model: LoopModel, use: ast.Name) -> ast.Subscript | None:
    """The read of one row by a sum that a use of the loop variable is in."""
    index: ast.AST = use
    while isinstance(around := model.unit.parents[index], ast.BinOp | ast.UnaryOp):
        index = around
    match around:
        case ast.Subscript(value=ast.Name() | ast.Attribute(), slice=at, ctx=ast.Load()) if at is index:
            return around
    return None


def _uses(model: LoopModel, index: str) -> list[ast.Name]:
    """Where the body reads the loop variable, but for what it no longer has once rows are stacked."""
    names = (n for s in model.node.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == index)
    return [n for n in names if n not in model.gone]
