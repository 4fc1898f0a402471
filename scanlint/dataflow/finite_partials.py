"""Expressions of which both arms of a choice may be computed: no partial derivative is infinite or NaN.

Reverse mode multiplies the zero of the arm that is not taken by the partial derivatives on the way to the inputs, and
zero times infinity is NaN. Inputs are taken to be as large as a quarter of the largest number of their type.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NamedTuple

from scanlint.dataflow.around import source_of
from scanlint.jaxapi.words import words
from scanlint.trace.unit import Unit

INPUT = 0.25
"""The size of inputs, in parts of the largest number of their type."""
HALF = 65504.0
"""The largest number of the smallest type: what a constant, and one divided by it, may be."""
DEEPEST = 4
"""How many names the making of a value is followed through."""


class Size(NamedTuple):
    """A bound of a value, in parts of the largest number of its type; `undefined`: it may be NaN."""

    most: float
    undefined: bool = False

    @property
    def finite(self) -> bool:
        """The value is surely a finite number."""
        return self.most <= 1.0 and not self.undefined


UNBOUNDED = Size(float("inf"))
ANYTHING = Size(float("inf"), True)
BOUNDED = Size(0.0)
_SAME_SIZE = words("abs negative minimum maximum fmin fmax relu min max zeros_like ones_like sign clip")
"""What is as large as its arguments, with partial derivatives between -1 and 1 whatever these are."""
_WAVES = words("sin cos")
_SATURATED = words("tanh sigmoid")
_ROOTS = ("jax.numpy.", "jax.nn.", "jax.lax.")
_CASTS = words("float16 bfloat16 float32 float64 int32")


def finite_partials(unit: Unit, node: ast.expr) -> bool:
    """Each partial derivative of the expression is finite for all inputs of at most INPUT."""
    return _Partials(unit).size(node) is not None


@dataclass
class _Partials:
    """Sizes of the parts of an expression; None as soon as one has a partial derivative that may not be finite."""

    unit: Unit
    depth: int = 0

    def size(self, node: ast.expr) -> Size | None:
        match node:
            case ast.Constant(value=bool() | int() | float() as number):
                return BOUNDED if abs(number) <= HALF else None
            case ast.Name():
                return self._named(node)
            case ast.Attribute():
                return Size(INPUT)
            case ast.Subscript(value=array):
                return self.size(array)
            case ast.Compare():
                return BOUNDED  # truths have no derivative, whatever is compared
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self.size(inner)
            case ast.BinOp(left=left, op=op, right=right):
                return self._operator(left, op, right)
            case ast.Call(func=function, args=args, keywords=[]):
                sizes = [self.size(a) for a in args]
                known = [s for s in sizes if s is not None]
                return self._call(self.unit.resolve(function) or "", known) if len(known) == len(sizes) else None
        return None

    def _named(self, name: ast.Name) -> Size:
        """A name is an input, unless it is seen what made it: that is computed in any case, but may be infinite."""
        made = source_of(self.unit, name) if self.depth < DEEPEST else None
        if made is None or isinstance(made, ast.Name | ast.Attribute):
            return Size(INPUT)
        return _Values(self.unit, self.depth + 1).size(made) or ANYTHING

    def _operator(self, left: ast.expr, op: ast.operator, right: ast.expr) -> Size | None:
        a, b = self.size(left), self.size(right)
        if a is None or b is None:
            return None
        match op:
            case ast.Add() | ast.Sub():
                both = a.most == b.most == float("inf")
                return Size(a.most + b.most, a.undefined or b.undefined or both)
            case ast.Mult():
                return self._product(left, a, right, b)
            case ast.Div() | ast.FloorDiv() | ast.Mod() if (divisor := _constant(right)) and abs(divisor) >= 1 / HALF:
                remainder = isinstance(op, ast.Mod | ast.FloorDiv) and a.most == float("inf")
                return Size(a.most / abs(divisor) if not isinstance(op, ast.Mod) else a.most, a.undefined or remainder)
            case ast.Pow() if (power := _constant(right)) is not None and power in (0, 1, 2):
                return a if power < 2 else self._product(left, a, left, a)
        return None

    def _product(self, left: ast.expr, a: Size, right: ast.expr, b: Size) -> Size | None:
        """Each factor is the partial derivative by the other one."""
        for node, size in ((left, b), (right, a)):
            if (number := _constant(node)) is not None:
                return Size(size.most * abs(number), size.undefined)
        if not (self._allowed(a) and self._allowed(b)):
            return None
        return UNBOUNDED if a.finite and b.finite else ANYTHING

    def _allowed(self, factor: Size) -> bool:
        return factor.finite

    def _call(self, name: str, sizes: list[Size]) -> Size | None:
        last = name.rpartition(".")[2]
        if not name.startswith(_ROOTS) or not sizes:
            return None
        largest = Size(max(s.most for s in sizes), any(s.undefined for s in sizes))
        if last in _SAME_SIZE:
            return largest
        if last in _CASTS:
            return Size(float("inf"), largest.undefined)
        if last in ("sum", "mean"):
            return ANYTHING  # a sum may leave the type on the way, also of what is divided in the end
        if last == "square":
            return UNBOUNDED if self._allowed(largest) else None
        if last in _WAVES:
            return BOUNDED if self._allowed(largest) else None
        if last in _SATURATED:
            return BOUNDED if not largest.undefined or self._allowed(largest) else None
        return None


class _Values(_Partials):
    """Sizes of what is computed before the choice: no derivative of the arms passes through it."""

    def _allowed(self, factor: Size) -> bool:
        return True


def _constant(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number) if abs(number) <= HALF else None
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _constant(inner)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            below = _constant(inner)
            return None if below is None else -below
    return None
