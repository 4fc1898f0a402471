"""Bounds that are the length of an axis of an array: `xs.shape[0]`, `len(xs)`, or a name for one of these."""

from __future__ import annotations

import ast

from scanlint.trace.unit import Unit


def axis_read(unit: Unit, stop: ast.expr) -> tuple[str, int] | None:
    """The array (as source) and axis whose length a bound is: `xs.shape[0]`, `len(xs)`, or a name for one of these."""
    match stop:
        case ast.Subscript() | ast.Call():
            return _measured(stop)
        case ast.Name(id=name):
            found = [f for f in (_length(s, name) for s in unit.every(ast.Assign)) if f is not None]
            return found[0] if len(found) == 1 and _bound_times(unit, name) == 1 and found[0] != ("", 0) else None
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


def _length(statement: ast.AST, name: str) -> tuple[str, int] | None:
    match statement:
        case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name and not isinstance(value, ast.Name):
            return _measured(value)
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            pairs = zip(names, values, strict=True)
            return next((_measured(v) for n, v in pairs if isinstance(n, ast.Name) and n.id == name), None)
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Attribute(value=array, attr="shape")):
            for axis, bound_name in enumerate(names):
                if isinstance(bound_name, ast.Name) and bound_name.id == name:
                    return ast.unparse(array), axis
    return None


def _measured(value: ast.expr) -> tuple[str, int] | None:
    """The array and axis of `xs.shape[0]` and `len(xs)`."""
    match value:
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int(axis))):
            return ast.unparse(array), axis
        case ast.Call(func=ast.Name(id="len"), args=[array]):
            return ast.unparse(array), 0
    return None


def _bound_times(unit: Unit, name: str) -> int:
    return sum(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in ast.walk(unit.node)
    )
