"""Numbers that a host loop fetches one by one: they are collected as arrays, and fetched together after the loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.finding import NOT_APPLICABLE, Next, Rewrite, Step
from scanlint.loops.concrete_uses import fetched
from scanlint.loops.loop import LoopModel
from scanlint.syntax.bindings import binds


class Fetched(NamedTuple):
    """`name.append(number)`, where the number is an `array` that is fetched."""

    name: str
    number: ast.expr
    array: ast.expr


def with_numbers(model: LoopModel) -> Step:
    """`ys.append(float(y))` as `ys.append(y)`, and `ys` a list of numbers again after the loop."""
    unit, node = model.unit, model.node
    found = list(_fetched(model))
    if not found or unit.context(node).traced:
        return NOT_APPLICABLE
    source = unit.source
    edits = [source.put(f.number, source.segment(f.array)) for f in found]
    stack, needed = unit.spell("jax.numpy.stack")
    lines = [f"{name} = {stack}({name}).tolist()" for name in dict.fromkeys(f.name for f in found)]
    edits.append(source.behind(node, *lines))
    return Rewrite(tuple(edits), "scan", (needed,) if needed else (), (Next(node),))


def _fetched(model: LoopModel) -> Iterator[Fetched]:
    """The appends of each trip that fetch a number."""
    for statement in model.node.body:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[number])):
                array = fetched(model.unit, number) or _given(model, number)
                if array is not None and name in model.unit.local_names:
                    yield Fetched(name, number, array)


def _given(model: LoopModel, number: ast.expr) -> ast.expr | None:
    """The argument of `float(loss)`, if the trip binds it; it need not be known to be an array."""
    match number:
        case ast.Call(func=function, args=[ast.Name(id=name) as array], keywords=[]):
            bound = name in binds(*model.node.body)
            return array if model.unit.resolve(function) == "builtins.float" and bound else None
    return None
