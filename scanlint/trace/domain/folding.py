"""Python arithmetic on known constants, bounded so that no text makes it slow."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from scanlint.trace.domain.values import Value, constant

LARGEST = 1 << 64
LONGEST = 4096

_BINARY: dict[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Callable[..., object]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
_FAILS = (TypeError, ValueError, ArithmeticError)


def fold_binary(op: ast.operator, left: object, right: object) -> Value | None:
    """The constant that an operation gives, if it is a small matter."""
    if not isinstance(left, int | float | str | complex) or not isinstance(right, int | float | str | complex):
        return None
    if isinstance(op, ast.Pow | ast.LShift | ast.Mult) and not _small(left, right):
        return None
    try:
        result = _BINARY[type(op)](left, right)
    except (*_FAILS, KeyError):  # the value is not known, as Python raises there
        return None
    return constant(result) if isinstance(result, int | float | str | complex) else None


def _small(left: object, right: object) -> bool:
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    return numbers and abs(left) < LARGEST and abs(right) < LONGEST  # type: ignore[arg-type]


def fold_unary(op: ast.unaryop, operand: object) -> Value | None:
    if not isinstance(operand, int | float | complex | str | None):
        return None
    try:
        result = _UNARY[type(op)](operand)
    except _FAILS:  # the value is not known, as Python raises there
        return None
    return constant(result)


def fold_compare(op: ast.cmpop, left: object, right: object) -> Value | None:
    if type(op) not in _COMPARE:
        return None
    try:
        result = _COMPARE[type(op)](left, right)
    except _FAILS:  # the value is not known, as Python raises there
        return None
    return constant(result) if isinstance(result, bool) else None
