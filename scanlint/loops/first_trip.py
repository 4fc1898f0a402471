"""Whether a loop surely makes a trip: the test of a `while` holds at once, or arrays have rows to go over."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence

from scanlint.jaxapi.words import words
from scanlint.loops.sizes.shape_reads import axis_read
from scanlint.syntax.bindings import binds
from scanlint.trace.unit import Unit

DEEPEST = 8
"""How many names are followed to what they are bound to: `n = n + 1` leads to itself."""
INFINITE = frozenset(["jax.numpy.inf", "numpy.inf", "math.inf"])
TYPED = frozenset(f"jax.numpy.{name}" for name in ("asarray", "array", "float32", "float64", "int32"))
ROW_FOR_ROW = frozenset(
    f"jax.numpy.{name}" for name in words("flip flipud roll sort cumsum cumprod abs exp log sqrt sin cos tanh asarray")
)
"""Functions that give as many rows as they are given."""
COMPARED: Mapping[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def holds(
    unit: Unit,
    test: ast.expr,
    before: Sequence[ast.stmt],
    names: Mapping[str, str] | None = None,
    rows: float | None = None,
) -> bool:
    """Whether a test is surely true after these statements; anything but infinity counts as finite.

    `names` gives what the names in the test stand for after the statements: other names, or what is written there.
    `rows`: how many rows arrays are taken to have.
    """
    known = names or {}

    def true(test: ast.expr, wanted: bool = True) -> bool:
        match test:
            case ast.BoolOp(op=op, values=values):
                return (all if isinstance(op, ast.And) == wanted else any)(true(v, wanted) for v in values)
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr() as op, right=right):
                return (all if isinstance(op, ast.BitAnd) == wanted else any)(true(v, wanted) for v in (left, right))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return true(operand, not wanted)
            case ast.Call(func=function, args=[operand]) if unit.resolve(function) == "jax.numpy.logical_not":
                return true(operand, not wanted)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARED:
                return compared(left, op, right, wanted)
        start = number(test)
        return start is not None and bool(start) == wanted

    def compared(left: ast.expr, op: ast.cmpop, right: ast.expr, wanted: bool) -> bool:
        a, b = number(left), number(right)
        a = 0.0 if a is None and b is not None and math.isinf(b) else a
        b = 0.0 if b is None and a is not None and math.isinf(a) else b
        return a is not None and b is not None and COMPARED[type(op)](a, b) == wanted

    def number(node: ast.expr, depth: int = 0) -> float | None:
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return float(value)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = number(operand, depth)
                return None if inner is None else -inner
            case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="inf")]):
                return math.inf
            case ast.Name(id=name):
                given = known.get(name, name)
                written = ast.parse(given, mode="eval").body
                start = started(before, given) if isinstance(written, ast.Name) else written
                if start is None or isinstance(start, ast.Name) or depth > DEEPEST:
                    return None
                return number(start, depth + 1)
            case ast.Call(func=function, args=[inner, *_]) if unit.resolve(function) in TYPED:
                return number(inner, depth)
            case ast.Call(func=ast.Name(id="min"), args=[_, _, *_] as several, keywords=[]):
                least = [n for one in several if (n := number(one, depth)) is not None]
                return min(least) if len(least) == len(several) else None
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                a, b = number(left, depth), number(right, depth)
                return None if a is None or b is None else a + b if isinstance(op, ast.Add) else a - b
        if rows is not None and axis_read(unit, node) is not None:
            return rows
        return math.inf if unit.resolve(node) in INFINITE else None

    return true(test)


def started(before: Sequence[ast.stmt], name: str) -> ast.expr | None:
    """What the last of these statements that binds a name gives it, if that is written there."""
    for statement in reversed(before):
        if name not in binds(statement):
            continue
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                pairs = zip(targets, values, strict=False)
                return next((v for t, v in pairs if isinstance(t, ast.Name) and t.id == name), None)
        return None
    return None


def enters(unit: Unit, call: ast.Call, before: Sequence[ast.stmt], rows: float | None = None) -> bool:
    """Whether a `while_loop` surely makes a trip, as its condition and what its carry starts as tell.

    `rows`: how many rows arrays are taken to have.
    """
    match call.args:
        case [ast.Name(id=name), _, start]:
            given = [ast.unparse(p) for p in (start.elts if isinstance(start, ast.Tuple) else [start])]
        case _:
            return False
    defined = [s for s in before if isinstance(s, ast.FunctionDef) and s.name == name]
    match [s for d in defined for s in (*d.args.args, *d.body)]:
        case [ast.arg(arg=held), ast.Return(value=ast.expr() as test)]:
            names = [held]
        case [ast.arg(), ast.Assign(targets=[ast.Tuple(elts=parts)]), ast.Return(value=ast.expr() as test)]:
            names = [ast.unparse(p) for p in parts]
        case _:
            return False
    return len(names) == len(given) and holds(unit, test, before, dict(zip(names, given, strict=True)), rows)


def over_rows(unit: Unit, call: ast.Call) -> bool:
    """Whether a loop makes no trip only where an array has no rows, or just one or two; or always makes one."""
    match unit.resolve(call.func), call.args:
        case "jax.lax.fori_loop", [start, stop, *_]:
            return _counts_rows(unit, start, stop)
        case "jax.lax.scan", [_, _, ast.Constant(value=None)]:
            length = next((k.value for k in call.keywords if k.arg == "length"), None)
            return length is not None and _counts_rows(unit, None, length)
        case "jax.lax.scan", [_, _, ast.Tuple(elts=several)]:
            return all(_rows(unit, xs) for xs in several)
        case "jax.lax.scan", [_, _, xs]:
            return _rows(unit, xs)
    return False


def _rows(unit: Unit, xs: ast.expr) -> bool:
    """Whether what a scan goes over has no rows only where an array that the function is given has hardly any."""
    match xs:
        case ast.Name():
            return True
        case ast.Subscript(value=ast.Name(), slice=ast.Slice(None | ast.Constant(value=1 | 2), None, None)):
            return True
        case ast.Subscript(value=whole, slice=ast.Slice(None, None, ast.expr())):
            return _rows(unit, whole)
        case ast.Call(func=function, args=[whole, *_]) if unit.resolve(function) in ROW_FOR_ROW:
            return _rows(unit, whole)
        case ast.Call(func=function, args=bounds, keywords=[]) if 1 <= len(bounds) <= 2:
            counted = unit.resolve(function) == "jax.numpy.arange"
            return counted and _counts_rows(unit, bounds[0] if len(bounds) > 1 else None, bounds[-1])
    return False


def _counts_rows(unit: Unit, start: ast.expr | None, stop: ast.expr) -> bool:
    first = 0 if start is None else getattr(start, "value", None)
    match stop:
        case ast.Constant(value=int() as last):
            return isinstance(first, int) and first < last
        case ast.BinOp(left=rows, op=ast.Add(), right=ast.Constant(value=int() as last)):
            return first == last and axis_read(unit, rows) is not None
    return first in (0, 1, 2) and (axis_read(unit, stop) is not None or getattr(stop, "attr", "") == "size")
