"""Values that an expression has by its text alone: whole numbers, constants, strings, arrays of several values."""

from __future__ import annotations

import ast


def is_whole(value: ast.expr) -> bool:
    """Whether a value is a whole number by its text: `0`, `len(table) - 1`."""
    match value:
        case ast.Constant(value=int() as number):
            return not isinstance(number, bool)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return is_whole(inner)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv(), right=right):
            return is_whole(left) and is_whole(right)
        case ast.Call(func=ast.Name(id="len")) | ast.Subscript(value=ast.Attribute(attr="shape")):
            return True
    return False


def constants_in(node: ast.expr) -> list[object]:
    """The constants that an expression is, or that a tuple, list or set holds."""
    match node:
        case ast.Constant(value=value):
            return [value]
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return [-value]
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return [v for e in elts for v in constants_in(e)]
    return []


def strings_in(node: ast.expr) -> list[str]:
    """The strings that an expression may evaluate to, if it can only evaluate to strings."""
    match node:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.IfExp(body=body, orelse=orelse) if (first := strings_in(body)) and (second := strings_in(orelse)):
            return [*first, *second]
    return []


def joins_values(value: ast.expr) -> bool:
    """Whether an expression is `jnp.stack([...])`, or another call that makes an array of several values."""
    match value:
        case ast.Call(func=ast.Attribute(attr="stack" | "array" | "asarray" | "concatenate"), args=[made, *_]):
            return isinstance(made, ast.List | ast.Tuple)
    return False
