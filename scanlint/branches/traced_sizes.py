"""Where Python must know a size, an axis, a shape or a type when tracing, and gets a tracer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal, NamedTuple

from scanlint.jaxapi.static_arguments import FUNCTIONS, KEYWORDS, METHODS, ROOTS, Role, StaticPlace
from scanlint.loops.sizes.affine import window
from scanlint.syntax.bindings import reads
from scanlint.trace.domain.values import Value, holds_tracer
from scanlint.trace.unit import Unit


class SizeAsked(NamedTuple):
    """A tracer, `needed`, that `asker` wants as a Python value; `node` is what fails."""

    node: ast.expr
    needed: ast.expr
    role: Role | Literal["slice"]
    asker: str


def size_asked_at(unit: Unit, node: ast.AST) -> SizeAsked | None:
    """The first tracer that a call or a subscript must know and does not."""
    match node:
        case ast.Call():
            return next(_in_call(unit, node), None)
        case ast.Subscript(value=owner, slice=index):
            return next(_in_slices(unit, node, owner, index), None)
    return None


def _in_call(unit: Unit, call: ast.Call) -> Iterator[SizeAsked]:
    name = unit.resolve(call.func)
    if name is not None:
        if name.startswith(ROOTS):
            yield from _arguments(unit, call, FUNCTIONS.get(name, ()), call.args, name)
        return
    match call.func:
        case ast.Attribute(value=receiver, attr=attr) if attr in METHODS and is_one_array(unit.value(receiver)):
            yield from _arguments(unit, call, METHODS[attr], [receiver, *call.args], f".{attr}")


def _arguments(
    unit: Unit, call: ast.Call, rows: tuple[StaticPlace, ...], args: list[ast.expr], asker: str
) -> Iterator[SizeAsked]:
    laid_out = next((at for at, arg in enumerate(args) if isinstance(arg, ast.Starred)), len(args))
    for row in rows:
        if row.place is None:
            continue
        end = len(args) if row.onward else row.place + 1
        for argument in args[row.place : min(end, laid_out)]:
            if _unknown(unit, argument, row.role):
                yield SizeAsked(call, argument, row.role, asker)
    named = {row.keyword: row.role for row in rows}
    for keyword in call.keywords:
        role = named.get(keyword.arg or "") or KEYWORDS.get(keyword.arg or "")
        if role is not None and _unknown(unit, keyword.value, role):
            yield SizeAsked(call, keyword.value, role, asker)


def _unknown(unit: Unit, argument: ast.expr, role: Role) -> bool:
    """Whether an argument is a tracer, or a tuple with one; an array in the place of a type gives its own type."""
    value = unit.value(argument)
    if role == "type":
        return value.traced and not value.array and value.container is None
    return value.traced or (value.container in ("tuple", "list") and holds_tracer(value))


def _in_slices(unit: Unit, node: ast.Subscript, owner: ast.expr, index: ast.expr) -> Iterator[SizeAsked]:
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        if isinstance(part, ast.Slice) and _cut(unit, owner):
            bounds = (bound for bound in (part.lower, part.upper, part.step) if bound is not None)
            yield from (SizeAsked(node, bound, "slice", "a slice") for bound in bounds if unit.value(bound).traced)


def _cut(unit: Unit, owner: ast.expr) -> bool:
    """Whether something is sliced that takes Python's numbers alone: an array, or a list, tuple or range."""
    match owner:
        case ast.Attribute(value=array, attr="at"):
            return is_one_array(unit.value(array))
    value = unit.value(owner)
    return is_one_array(value) or value.container in ("list", "tuple", "range")


def is_one_array(value: Value) -> bool:
    return value.container is None and value.callee is None and (value.array or value.traced)


class FixedWindow(NamedTuple):
    """A slice of one axis whose length is known: where it starts, and its length as source."""

    axis: int
    start: ast.expr
    length: str


def fixed_window(unit: Unit, node: ast.AST) -> FixedWindow | None:
    """The window that a subscript reads of an array: `x[i : i + 3]`, or `x[:, i : i + 3]` with all of other axes."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="at")):
            return None
        case ast.Subscript(value=array, slice=index, ctx=ast.Load()) if unit.value(array).array:
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
        case _:
            return None
    moving = [at for at, part in enumerate(parts) if isinstance(part, ast.Slice) and _moves(unit, part)]
    rest = [part for at, part in enumerate(parts) if at not in moving]
    if len(moving) != 1 or any(not isinstance(p, ast.Slice) or p.lower or p.upper or p.step for p in rest):
        return None
    cut = parts[moving[0]]
    assert isinstance(cut, ast.Slice)
    named = {n: unit.mentions.get(n, []) for n in reads(cut)}
    found = window(cut, frozenset(n for n, places in named.items() if any(unit.value(p).traced for p in places)))
    return FixedWindow(moving[0], *found) if found is not None else None


def _moves(unit: Unit, cut: ast.Slice) -> bool:
    return any(unit.value(bound).traced for bound in (cut.lower, cut.upper, cut.step) if bound is not None)
