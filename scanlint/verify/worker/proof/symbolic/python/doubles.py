"""Floats of Python that depend on trips: doubles, equal where the same operations are applied to the same numbers.

Nothing is known of their values but how they are computed. Beside an array such a number is one of the array's type.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import jax.numpy as jnp

from ..polynomials import NotProved, Polynomial
from .numbers_of_trips import OPERATORS, Traced
from .python_values import SymbolicInt, Value
from .same_values import primitive

NAME = "double_of"
BY_NAME: Mapping[str, Callable[..., object]] = {
    **{op.__name__: f for op, f in OPERATORS.items()},
    "USub": lambda x: -x,
    **{f"math.{n}": getattr(math, n) for n in ("sin", "cos", "tan", "exp", "log", "sqrt", "pow", "tanh", "atan2")},
    "float": float,
}
_primitive = primitive(NAME, lambda like, *trips, tree, names: like)

Tree = tuple[object, ...]


@dataclass(frozen=True)
class Double:
    """`tree` is ("Add", left, right) and the like; its leaves are floats, whole numbers of Python and polynomials."""

    tree: Tree


def is_double(op: type[ast.operator], left: Value, right: Value) -> bool:
    """Whether an operation on numbers of Python, of which one depends on sizes or trips, gives a float."""
    both = (left, right)
    if any(isinstance(x, Double) for x in both):
        return True
    return any(isinstance(x, SymbolicInt) for x in both) and (op is ast.Div or any(isinstance(x, float) for x in both))


def doubled(name: str, *operands: Value) -> Double:
    """What an operation of Python gives for numbers of which one depends on a trip."""
    leaves: list[object] = []
    for operand in operands:
        if isinstance(operand, Double):
            leaves.append(operand.tree)
        elif isinstance(operand, SymbolicInt):
            leaves.append(operand.value)
        elif isinstance(operand, int | float) and not isinstance(operand, bool):
            leaves.append((type(operand).__name__, repr(operand)))
        else:
            raise NotProved("a float of Python beside what is no number")
    if name not in BY_NAME:
        raise NotProved(f"`{name}` of a float of Python")
    return Double((name, *leaves))


def as_array(double: Double, numbers: Traced) -> object:
    """The number as an array: an equation that says how it is computed."""
    found = polynomials(double.tree)
    for polynomial in found:
        numbers.of(polynomial)  # it has to have a place in its type
        if any(name in numbers.integers.quotients for name in polynomial.symbols):
            raise NotProved("a float of Python that is made of a quotient")
    trips = numbers.trips
    used = sorted({name for polynomial in found for name in polynomial.symbols if name in trips})
    return _primitive.bind(jnp.asarray(0.0), *(trips[n] for n in used), tree=double.tree, names=tuple(used))  # type: ignore[no-untyped-call]


def polynomials(tree: object) -> list[Polynomial]:
    if isinstance(tree, Polynomial):
        return [tree]
    return [found for part in tree for found in polynomials(part)] if isinstance(tree, tuple) else []


def evaluated(tree: object) -> float | int:
    """Its value, where all its polynomials are known."""
    if isinstance(tree, Polynomial):
        assert tree.constant is not None
        return tree.constant
    assert isinstance(tree, tuple)
    if tree[0] in ("int", "float") and len(tree) == 2 and isinstance(tree[1], str):
        return float(tree[1]) if tree[0] == "float" else int(tree[1])
    try:
        found = BY_NAME[str(tree[0])](*map(evaluated, tree[1:]))
    except ArithmeticError as error:
        raise NotProved("a float of Python that has no value") from error
    if not isinstance(found, int | float):
        raise NotProved("a float of Python that is none")
    return found


def with_trips(tree: object, meant: Mapping[str, Polynomial]) -> object:
    """The tree with other polynomials in the place of trips."""
    if isinstance(tree, Polynomial):
        for name, by in meant.items():
            tree = tree.replaced(name, by)
        return tree
    return tuple(with_trips(part, meant) for part in tree) if isinstance(tree, tuple) else tree
