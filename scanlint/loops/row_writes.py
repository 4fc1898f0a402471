"""Loops that write row `i` of an array from row `i` of others: what `vmap` computes at once."""

from __future__ import annotations

import ast

from scanlint.loops.loop import LoopModel
from scanlint.syntax.bindings import reads, targets
from scanlint.trace.unit import Unit


def writes_rows(model: LoopModel) -> bool:
    """Whether all that goes from trip to trip are arrays that get row `i` written, which no trip reads."""
    index = _index(model)
    if index is None or not model.carried or model.last_values or model.obstacles:
        return False
    written = {s: name for s in model.node.body if (name := _row_write(s, index)) is not None}
    if set(written.values()) != set(model.carried) or len(written) != len(model.carried):
        return False
    rest: list[ast.AST] = [s for s in model.node.body if s not in written]
    rest += [part for s in written for part in _parts(s)]
    return not reads(*rest) & set(model.carried) and any(_reads_row(model.unit, part, index) for part in rest)


def _index(model: LoopModel) -> str | None:
    match model.streams:
        case (stream,) if stream.kind == "range" and isinstance(stream.target, ast.Name):
            return stream.target.id
    return None


def _row_write(statement: ast.stmt, index: str) -> str | None:
    """The array of `a = a.at[i].set(...)`."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=array), attr="at"), slice=at),
                    attr="set",
                )
            ),
        ) if name == array and _names_row(at, index):
            return name
    return None


def _names_row(at: ast.expr, index: str) -> bool:
    first = at.elts[0] if isinstance(at, ast.Tuple) and at.elts else at
    return isinstance(first, ast.Name) and first.id == index


def _parts(statement: ast.stmt) -> list[ast.AST]:
    """What a row write evaluates besides the array itself."""
    assert isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
    call = statement.value
    assert isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Subscript)
    return [call.func.value.slice, *call.args, *call.keywords]


def _reads_row(unit: Unit, part: ast.AST, index: str) -> bool:
    for node in ast.walk(part):
        match node:
            case ast.Subscript(value=array, slice=at, ctx=ast.Load()) if _names_row(at, index):
                known = unit.value(array)
                if known.container is None and not known.static and index not in targets(array):
                    return True
    return False
