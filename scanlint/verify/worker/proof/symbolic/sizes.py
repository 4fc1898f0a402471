"""Sizes as symbols of `jax.export`, and what their expressions mean as polynomials."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .polynomials import Integers, NotProved, Polynomial, number, symbol


@dataclass
class SymbolicSizes:
    """Symbols by name, the polynomial of each expression that JAX makes of them, and the expression of a polynomial."""

    integers: Integers
    symbols: Mapping[str, object] = field(default_factory=dict)
    read: dict[str, Polynomial] = field(default_factory=dict)
    gone_through: set[str] = field(default_factory=set)
    """The symbols that decide how many trips a loop of Python makes."""

    @classmethod
    def of(cls, found: Sequence[int], integers: Integers) -> SymbolicSizes:
        """A symbol for each size, such as `n12`, that is at least the least of the proof."""
        names = [f"n{size}" for size in sorted(set(found))]
        if not names:
            return cls(integers)
        least = [f"{name} >= {integers.least}" for name in names] if integers.least > 1 else []
        try:
            from jax import export
        except ImportError as error:  # before JAX 0.4.36 it needs absl, which JAX does not bring
            raise NotProved("this JAX has no symbols for sizes") from error
        made = export.symbolic_shape(", ".join(names), constraints=least)
        return cls(integers, dict(zip(names, made, strict=True)))

    def polynomial(self, size: object) -> Polynomial:
        """Of a whole number or an expression of symbols; raises NotProved."""
        if isinstance(size, int | np.integer):
            return number(int(size))
        text = str(size)
        if text not in self.read:
            self.read[text] = self._parsed(ast.parse(text.replace("^", "**"), mode="eval").body)
        return self.read[text]

    def shape(self, sizes: Sequence[object]) -> tuple[Polynomial, ...]:
        return tuple(map(self.polynomial, sizes))

    def _parsed(self, node: ast.expr) -> Polynomial:
        match node:
            case ast.Constant(value=int() as value):
                return number(value)
            case ast.Name(id=name) if name in self.symbols:
                return symbol(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._parsed(operand)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._parsed(left) + self._parsed(right)
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return self._parsed(left) - self._parsed(right)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return self._parsed(left) * self._parsed(right)
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int() as power)) if 0 <= power < 5:
                found = number(1)
                for _ in range(power):
                    found = found * self._parsed(left)
                return found
            case ast.Call(func=ast.Name(id=name), args=[one, other]):
                return self._called(name, self._parsed(one), self._parsed(other))
        raise NotProved(f"a size that is {ast.unparse(node)}")

    def _called(self, name: str, one: Polynomial, other: Polynomial) -> Polynomial:
        """`floordiv`, `mod`, `max` and `min` as JAX writes them."""
        inside, by = self.integers.at_least_zero, other.constant
        if name in ("floordiv", "mod"):
            if by is not None and by > 0:
                return self.integers.divided(one, by)[name == "mod"]
            if inside(one) and inside(other - 1 - one):
                return one if name == "mod" else number(0)
            if inside(-one - 1) and inside(other + one):
                return one + other if name == "mod" else number(-1)
        if name in ("max", "min"):
            if inside(one - other):
                return one if name == "max" else other
            if inside(other - one):
                return other if name == "max" else one
        raise NotProved(f"a size that is {name}({one}, {other})")

    def expression(self, polynomial: Polynomial) -> object:
        """An int, or an expression that JAX takes for a size; raises NotProved for what depends on a trip."""
        if polynomial.constant is not None:
            return polynomial.constant
        return polynomial.evaluated(self._symbol)

    def _symbol(self, name: str) -> object:
        if name in self.symbols:
            return self.symbols[name]
        quotient = self.integers.quotients.get(name)
        if quotient is None:
            raise NotProved("a size that depends on the trip")
        of = self.expression(quotient.of)
        return of % quotient.by if quotient.rest else of // quotient.by  # type: ignore[operator]
