"""Arrays that are unpacked into a list and stacked again: one slice for each row, and all of them joined afterwards."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.jaxapi.words import words
from scanlint.trace.unit import Unit

STACKS = words("jax.numpy.array jax.numpy.asarray jax.numpy.stack")
GIVES_ROWS = words("jax.random.split")
FEW = 8


class UnpackedArray(NamedTuple):
    """`key, *rest = array`: the statement, the names before the star, the list, and where it is stacked again.

    `other` is a use of the list that an array would not serve.
    """

    statement: ast.Assign
    heads: tuple[str, ...]
    rest: ast.Name
    stacked: tuple[ast.Call, ...]
    other: ast.AST | None


def unpacked_array(unit: Unit, statement: ast.Assign) -> UnpackedArray | None:
    """The rows of an array that a statement unpacks into a list, if something makes one array of that list again."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=[*heads, ast.Starred(value=ast.Name() as rest)])], value=value):
            names = [head.id for head in heads if isinstance(head, ast.Name)]
        case _:
            return None
    if len(names) < len(heads) or not _is_array(unit, value) or _has_few(value):
        return None
    flow = defuse_of(unit)
    uses = [use for made in flow.made(rest) for use in flow.uses(made) if isinstance(use, ast.Name)]
    calls = [call for use in uses if (call := _stacked(unit, use)) is not None]
    shared = any(len(flow.definitions(use)) > 1 for use in uses)
    other = next((u for u in uses if _stacked(unit, u) is None and not _is_row_read(unit, u)), rest if shared else None)
    return UnpackedArray(statement, tuple(names), rest, tuple(calls), other) if calls else None


def _is_array(unit: Unit, value: ast.expr) -> bool:
    """An expression surely gives one array, whose rows are unpacked."""
    made = isinstance(value, ast.Call) and unit.resolve(value.func) in GIVES_ROWS
    return made or unit.value(value).array


def _has_few(value: ast.expr) -> bool:
    match value:
        case (
            ast.Call(args=[_, ast.Constant(value=int(number))])
            | ast.Call(keywords=[ast.keyword(arg="num", value=ast.Constant(value=int(number)))])
        ):
            return number <= FEW
    return False


def _stacked(unit: Unit, use: ast.AST) -> ast.Call | None:
    """The call that makes an array of a list, and does nothing else with it."""
    match unit.parents.get(use):
        case ast.Call(func=function, args=[only], keywords=[]) as call if only is use:
            return call if unit.resolve(function) in STACKS else None
    return None


def _is_row_read(unit: Unit, use: ast.AST) -> bool:
    """A use asks for a row, the rows in turn, or their number."""
    match unit.parents.get(use):
        case ast.Subscript(value=owner, ctx=ast.Load(), slice=index):
            return owner is use and not isinstance(index, ast.Slice)
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is use
        case ast.Call(func=function):
            return unit.resolve(function) in ("builtins.len", "builtins.zip", "builtins.enumerate")
    return False
