"""Python's arithmetic and comparisons where a whole number depends on sizes or trips."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..polynomials import Integers, NotProved, Polynomial, number
from .python_values import Question, SymbolicInt, Value

MOST_POWER = 4
FLOATS = "floats of Python that depend on the trip are doubles"
OPERATORS: dict[type[ast.operator], Callable[[object, object], object]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], object]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def is_whole(value: Value) -> bool:
    """Whether it is a whole number of Python; truths are none."""
    return isinstance(value, SymbolicInt) or (type(value) is int)


def polynomial(value: Value) -> Polynomial:
    if isinstance(value, SymbolicInt):
        return value.value
    assert type(value) is int
    return number(value)


def whole(value: Polynomial) -> Value:
    """A number of Python where it is known."""
    return value.constant if value.constant is not None else SymbolicInt(value)


def is_array(value: Value) -> bool:
    return isinstance(value, jax.Array | np.ndarray | np.generic)


def computed(op: type[ast.operator], left: Value, right: Value, integers: Integers) -> Value:
    """`left op right` for whole numbers of which one depends on sizes or trips."""
    if isinstance(left, float | complex) or isinstance(right, float | complex) or op is ast.Div:
        raise NotProved(FLOATS)
    if not (is_whole(left) and is_whole(right)):
        raise NotProved("an operation on a whole number that depends on the trip")
    a, b = polynomial(left), polynomial(right)
    if op is ast.Add:
        return whole(a + b)
    if op is ast.Sub:
        return whole(a - b)
    if op is ast.Mult:
        return whole(a * b)
    if op in (ast.FloorDiv, ast.Mod) and b.constant is not None and b.constant > 0:
        return whole(integers.divided(a, b.constant)[op is ast.Mod])
    if op is ast.Pow and b.constant is not None and 0 <= b.constant <= MOST_POWER:
        found = number(1)
        for _ in range(b.constant):
            found = found * a
        return whole(found)
    raise NotProved(f"`{op.__name__}` of a whole number that depends on the trip")


def compared(op: type[ast.cmpop], left: Value, right: Value, integers: Integers) -> bool | Question:
    """`left op right` for whole numbers: known for all sizes and trips, or a question."""
    if isinstance(left, bool) or isinstance(right, bool):  # True is 1
        left, right = (int(x) if isinstance(x, bool) else x for x in (left, right))
    if isinstance(left, float) and left.is_integer():
        left = int(left)
    if isinstance(right, float) and right.is_integer():
        right = int(right)
    if not (is_whole(left) and is_whole(right)):
        raise NotProved("a comparison of a whole number that depends on the trip with something else")
    a, b = polynomial(left), polynomial(right)
    below, value, negated = {
        ast.Lt: (True, a - b, False),
        ast.Gt: (True, b - a, False),
        ast.LtE: (True, b - a, True),
        ast.GtE: (True, a - b, True),
        ast.Eq: (False, a - b, False),
        ast.NotEq: (False, a - b, True),
    }[op]
    known = integers.below_zero(value) if below else integers.is_zero(value)
    return known is not negated if known is not None else Question(below, value, negated)


class Traced:
    """Arrays in the place of whole numbers: trips as JAX traces them."""

    def __init__(self, integers: Integers, expression: Callable[[Polynomial], object]) -> None:
        self.integers = integers
        self.expression = expression
        self.trips: dict[str, jax.Array] = {}

    def of(self, value: Polynomial) -> object:
        """A number, a size, or an array; raises NotProved where it may leave its type."""
        if not any(name in self.trips for name in self.integers.free(value)):
            return self.expression(value)
        kind = jnp.int64 if jax.config.jax_enable_x64 else jnp.int32
        if not self.integers.fits(value, np.dtype(kind)):
            raise NotProved("a whole number of Python that may leave its type")
        return value.evaluated(self._symbol)

    def _symbol(self, name: str) -> object:
        if name in self.trips:
            return self.trips[name]
        quotient = self.integers.quotients.get(name)
        if quotient is None:
            return self.expression(Polynomial({(name,): 1}))
        of = self.of(quotient.of)
        return of % quotient.by if quotient.rest else of // quotient.by  # type: ignore[operator]

    def question(self, asked: Question) -> jax.Array:
        """The answer before it is negated."""
        difference = self.of(asked.value)
        found = difference < 0 if asked.below else difference == 0  # type: ignore[operator]
        return jnp.asarray(found)
