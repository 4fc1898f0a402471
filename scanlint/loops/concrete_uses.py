"""Expressions on Python values that are spelled another way once those are tracers: `not done`, `float(i)`."""

from __future__ import annotations

import ast

from scanlint.trace.unit import Unit


def boolean(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is surely a bool, so that `&` and `|` mean `and` and `or`."""
    match node:
        case ast.Compare(ops=ops):
            return all(isinstance(o, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq) for o in ops)
        case ast.BoolOp(values=values):
            return all(boolean(unit, v) for v in values)
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Constant(value=bool()):
            return True
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            return boolean(unit, left) and boolean(unit, right)
    return unit.value(node).dtype == "bool"


def is_logic(unit: Unit, part: ast.AST) -> bool:
    """Whether `and`, `or`, `not` or a chained comparison joins bools only, with nothing in it that binds or calls."""
    match part:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            value = unit.value(operand)
            known = boolean(unit, operand) or (value.container is None and value.dtype in ("int", "float"))
        case ast.BoolOp() | ast.Compare(ops=[_, _, *_]):
            known = boolean(unit, part)
        case _:
            return False
    return known and not any(isinstance(n, ast.NamedExpr | ast.Call | ast.IfExp) for n in ast.walk(part))


def number_cast(unit: Unit, part: ast.AST) -> ast.expr | None:
    """The whole number that `float(i)` or `int(i)` casts, where it is known to be one."""
    match part:
        case ast.Call(func=function, args=[number], keywords=[]):
            cast = unit.resolve(function) in ("builtins.float", "builtins.int")
            return number if cast and unit.value(number).dtype == "int" else None
    return None


LIMITS = {"builtins.min": "jax.numpy.minimum", "builtins.max": "jax.numpy.maximum"}


def limit(unit: Unit, part: ast.AST) -> tuple[str, list[ast.expr]] | None:
    """What `min(i, 3)` or `max(i - 1, 0)` is called for tracers, and the numbers, where they are known to be such.

    A traced float may be a NaN, of which Python's functions give the other number, as the order has it.
    """
    match part:
        case ast.Call(func=function, args=[_, _, *_] as numbers, keywords=[]):
            name = LIMITS.get(unit.resolve(function) or "")
            values = [unit.value(n) for n in numbers]
            plain = all(v.dtype == "int" or (v.dtype == "float" and v.static) for v in values)
            plain = plain and all(v.container is None for v in values)
            return (name, numbers) if name is not None and plain else None
    return None


def in_test(unit: Unit, part: ast.AST) -> bool:
    """Whether a condition is (a part of) the test of a branch or a loop, which is spelled anew for tracers."""
    outer = unit.parents.get(part)
    while isinstance(outer, ast.BoolOp) or (isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not)):
        part, outer = outer, unit.parents.get(outer)
    return isinstance(outer, ast.If | ast.IfExp | ast.While) and outer.test is part
