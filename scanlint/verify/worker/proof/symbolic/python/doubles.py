"""Floats of Python that depend on trips: doubles, equal where the same operations are applied to the same numbers.

Nothing is known of their values but how they are computed. Beside an array such a number is one of the array's type.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from ..polynomials import Integers, NotProved, Polynomial
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

_rounded = primitive("number_rounded_to", lambda x, kind: x.update(dtype=np.dtype(kind)))

Tree = tuple[object, ...]
Bounds = tuple[float, float]
MOST_WHOLE, MOST_EXPONENT, MOST_GROWTH = 2**62, 700, 10
"""A whole number and an exponent of e that doubles hold, and what has a place to some hundred times its own power."""


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


def doubled(integers: Integers, name: str, *operands: Value) -> Double:
    """What an operation of Python gives for numbers of which one depends on a trip; it raises nothing on any."""
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
    tree = (name, *leaves)
    bounds(tree, integers)
    return Double(tree)


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


def rounded(number: object, kind: object) -> object:
    """A float of Python in a type of few bits: it is not what the usual type makes of it, rounded again."""
    return _rounded.bind(number, kind=kind)  # type: ignore[no-untyped-call]


def bounds(tree: object, integers: Integers) -> Bounds:
    """What the number lies between; raises NotProved where an operation may raise, or give no real number."""
    if isinstance(tree, Polynomial):
        inside = integers.at_least_zero
        low = next((k for k in (1, 0, -MOST_WHOLE) if inside(tree - k)), -math.inf)
        return low, next((k for k in (-1, 0, MOST_WHOLE) if inside(k - tree)), math.inf)
    assert isinstance(tree, tuple)
    if tree[0] in ("int", "float") and len(tree) == 2 and isinstance(tree[1], str):
        return (float(tree[1]),) * 2
    (low, high), *others = (bounds(part, integers) for part in tree[1:])
    below, above = others[0] if others else (low, high)
    finite = -math.inf < low and high < math.inf and -math.inf < below and above < math.inf
    match str(tree[0]).removeprefix("math."):
        case "float":
            return low, high
        case "USub":
            return -high, -low
        case "Add" | "Sub" | "Mult" as op if finite:
            f = BY_NAME[op]
            ends = [float(f(x, y)) for x in (low, high) for y in (below, above)]  # type: ignore[arg-type]
            return min(ends), max(ends)
        case "Add" | "Sub" | "Mult":
            return -math.inf, math.inf
        case "Div" if below > 0 and low >= 0 and finite:
            return low / above, high / below
        case "Div" | "FloorDiv" | "Mod" if below > 0 or above < 0:
            return -math.inf, math.inf
        case "Pow" | "pow":
            return power((low, high), (below, above), tree[2], integers)
        case "sin" | "cos" | "tanh" if finite:
            return -1.0, 1.0
        case "tan" | "atan2" if finite:
            return -math.inf, math.inf
        case "exp" if high <= MOST_EXPONENT:
            return 0.0, math.exp(high)
        case "sqrt" if low >= 0 and finite:
            return math.sqrt(low), math.sqrt(high)
        case "log" if low > 0 and finite and not others:
            return math.log(low), math.log(high)
    raise NotProved("a float of Python that may have no value")


def power(base: Bounds, exponent: Bounds, by: object, integers: Integers) -> Bounds:
    """The same of a power: numbers up to one, or so few trips that the largest has a place."""
    (low, high), (below, above), whole = base, exponent, isinstance(by, Polynomial)
    if below >= 0 and high <= 1 and (low > 0 or (low >= -1 and whole)):
        return (0.0, high**below) if low > 0 else (-1.0, 1.0)
    if low >= 1 and above <= 0:
        return 0.0, 1.0
    if low >= 0 and below == above > 0 and high < math.inf and above * math.log2(max(high, 2)) < MOST_EXPONENT:
        return low**below, high**above
    if 1 < low == high <= MOST_GROWTH and below >= 0 and isinstance(by, Polynomial):
        few = int(MOST_EXPONENT / math.log(low))
        before, integers.most = integers.most, min(integers.most, few // 2)
        if integers.at_least_zero(few - by):
            return 1.0, high**few
        integers.most = before
    raise NotProved("a float of Python that may have no value")


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
        return tree.substituted(meant)
    return tuple(with_trips(part, meant) for part in tree) if isinstance(tree, tuple) else tree
