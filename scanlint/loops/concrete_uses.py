"""Expressions on Python values that are spelled another way once those are tracers: `not done`, `float(i)`."""

from __future__ import annotations

import ast

from scanlint.syntax.walk import substituted
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


def fetched(unit: Unit, part: ast.AST) -> ast.expr | None:
    """The array that `float(err)`, `bool(done)` or `err.item()` fetches from the device."""
    match part:
        case ast.Call(func=ast.Attribute(value=array, attr="item"), args=[], keywords=[]):
            pass
        case ast.Call(func=function, args=[array], keywords=[]):
            if unit.resolve(function) not in ("builtins.float", "builtins.bool"):
                return None
        case _:
            return None
    value = unit.value(array)
    return array if value.traced or value.array or _asks(unit, array) else None


def _asks(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression asks something of an array: `err < tol`, `jnp.all(err < tol)`."""
    parts = [n for n in ast.walk(node) if isinstance(n, ast.expr)]
    return not unit.value(node).static and any(unit.value(n).array or unit.value(n).traced for n in parts)


def unfetched(unit: Unit, node: ast.expr) -> str | None:
    """An expression on arrays that stay on the device, where it fetches some from there; it may hold no binding."""
    arrays = {ast.dump(part): array for part in ast.walk(node) if (array := fetched(unit, part)) is not None}

    def on_device(part: ast.AST) -> ast.expr | None:
        array = arrays.get(ast.dump(part))
        return substituted(array, on_device) if array is not None else None

    return ast.unparse(substituted(node, on_device)) if arrays else None


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


def decides(unit: Unit, part: ast.AST) -> bool:
    """Whether an expression is (a side of) the test of a branch or a loop."""
    for outer in unit.ancestors(part):
        if isinstance(outer, ast.If | ast.IfExp | ast.While):
            return outer.test is part
        if not isinstance(outer, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.BinOp):
            return False
        part = outer
    return False


def in_test(unit: Unit, part: ast.AST) -> bool:
    """Whether a condition is (a part of) the test of a branch or a loop, which is spelled anew for tracers."""
    outer = unit.parents.get(part)
    while isinstance(outer, ast.BoolOp) or (isinstance(outer, ast.UnaryOp) and isinstance(outer.op, ast.Not)):
        part, outer = outer, unit.parents.get(outer)
    return isinstance(outer, ast.If | ast.IfExp | ast.While) and outer.test is part
