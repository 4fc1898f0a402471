"""Python arithmetic on known constants, bounded so that no text makes it slow."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from types import UnionType

from scanlint.trace.domain.values import Value, constant

Operation = Callable[..., object]
LARGEST = 1 << 64
LONGEST = 4096

_BINARY: dict[type[ast.operator], Operation] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift, ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], Operation] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_, ast.Invert: operator.invert,
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], Operation] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
}  # fmt: skip
NUMBERS = int | float | complex | str


def fold_binary(op: ast.operator, left: object, right: object) -> Value | None:
    """The constant that an operation gives, if it is a small matter."""
    if not isinstance(left, NUMBERS) or not isinstance(right, NUMBERS):
        return None
    if isinstance(op, ast.Pow | ast.LShift | ast.Mult) and not _small(left, right):
        return None
    return _folded(_BINARY.get(type(op)), left, right, kinds=NUMBERS)


def _small(left: object, right: object) -> bool:
    numbers = isinstance(left, int | float) and isinstance(right, int | float)
    return numbers and abs(left) < LARGEST and abs(right) < LONGEST  # type: ignore[arg-type]


def fold_unary(op: ast.unaryop, operand: object) -> Value | None:
    """The constant that an operator gives for one operand."""
    return _folded(_UNARY[type(op)], operand) if isinstance(operand, NUMBERS | None) else None


def fold_compare(op: ast.cmpop, left: object, right: object) -> Value | None:
    """The truth of a comparison of two constants."""
    return _folded(_COMPARE.get(type(op)), left, right, kinds=bool)


def _folded(operation: Operation | None, *operands: object, kinds: type | UnionType = object) -> Value | None:
    """The constant that an operation gives, if it is of one of these kinds; None where Python raises."""
    if operation is None:
        return None
    try:
        result = operation(*operands)
    except (TypeError, ValueError, ArithmeticError):  # the value is not known, as Python raises there
        return None
    return constant(result) if isinstance(result, kinds) else None
