"""Bounds that are the length of an axis of an array: `xs.shape[0]`, `len(xs)`, or a name for one of these."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.trace.unit import Unit


def axis_read(unit: Unit, stop: ast.expr) -> tuple[str, int] | None:
    """The array (as source) and axis whose length a bound is: `xs.shape[0]`, `len(xs)`, or a name for one of these."""
    found = measured(unit, stop)
    return (ast.unparse(found[0]), found[1]) if found is not None else None


def measured(unit: Unit, stop: ast.AST) -> tuple[ast.expr, int] | None:
    """The same with the array where its length is asked for."""
    match stop:
        case ast.Subscript() | ast.Call():
            return _measured(stop)
        case ast.Name(id=name, ctx=ast.Load()):
            found = [f for pair in _bindings(unit) if (f := _length(*pair, name)) is not None]
            return found[0] if len(found) == 1 and _bound_times(unit, name) == 1 else None
    return None


def last_axis(unit: Unit, stop: ast.expr) -> tuple[str, int] | None:
    """The array whose last axis a bound is the length of: `xs.shape[-1]`, or the last name in `n, m = xs.shape`."""
    match stop:
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.UnaryOp(ast.USub(), last)):
            return (ast.unparse(array), -1) if isinstance(last, ast.Constant) and last.value == 1 else None
        case ast.Name(id=name) if _bound_times(unit, name) == 1:
            for statement in unit.every(ast.Assign):
                match statement:
                    case ast.Assign(
                        targets=[ast.Tuple(elts=[*_, ast.Name(id=bound)])],
                        value=ast.Attribute(value=array, attr="shape"),
                    ) if bound == name:
                        return ast.unparse(array), -1
    return None


def _bindings(unit: Unit) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The targets of the unit's assignments, and what is assigned to them."""
    for statement in unit.every(ast.Assign):
        if len(statement.targets) == 1:
            yield statement.targets[0], statement.value
    for annotated in unit.every(ast.AnnAssign):
        if annotated.value is not None:
            yield annotated.target, annotated.value


def _length(target: ast.expr, value: ast.expr, name: str) -> tuple[ast.expr, int] | None:
    match target, value:
        case ast.Name(id=bound), _ if bound == name and not isinstance(value, ast.Name):
            return _measured(value)
        case ast.Tuple(elts=parts), ast.Tuple(elts=values) if len(parts) == len(values):
            pairs = zip(parts, values, strict=True)
            return next((found for part, v in pairs if (found := _length(part, v, name)) is not None), None)
        case ast.Tuple(elts=names), ast.Attribute(value=array, attr="shape"):
            for axis, bound_name in enumerate(names):
                if isinstance(bound_name, ast.Name) and bound_name.id == name:
                    return array, axis
    return None


def _measured(value: ast.expr) -> tuple[ast.expr, int] | None:
    """The array and axis of `xs.shape[0]` and `len(xs)`."""
    match value:
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int(axis))):
            return array, axis
        case ast.Call(func=ast.Name(id="len"), args=[array]):
            return array, 0
    return None


def _bound_times(unit: Unit, name: str) -> int:
    return sum(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in ast.walk(unit.node)
    )
