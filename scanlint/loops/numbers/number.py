"""What a Python number may be over all trips of a loop, and whether a tracer in its place would be the same."""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

INT = 2**31 - 1
"""The largest number of the integers that JAX has by default."""
DIGITS = 24
"""Bits that a float of single precision holds."""
SMALLEST = -126
MOST_TRIPS = 2**22
"""Trips that a loop of unknown length is taken to make: with more of them Python itself does not come to an end.

A size that is not known is at most that, too: sums of a few are exact in single precision.
"""
BEYOND = 2**200
"""No type of an array holds a number as large as this; of larger ones nothing is told apart."""
Fault = Literal["ring", "wide", "double"]
_ORDER: tuple[Fault | None, ...] = (None, "ring", "wide", "double")


@dataclass(frozen=True, slots=True)
class Number:
    """The numbers from `low` to `high`: Python ints where they are `whole`, else floats.

    `grid`: they are multiples of `2**grid`, and none has more than 24 digits: single precision holds them as they are.
    `rounded`: each is the result of one operation on such numbers, which single precision rounds as a whole.
    `fault` says why a tracer would be another number: "wide": it leaves int32; "ring": it does in sums and products
    alone, which wrap around to the right result if that fits; "double": it would be rounded more than once.
    `moving`: it depends on the trip. `strong`: JAX works it out of a tracer as a number of its own type, which what it
    meets takes on; Python's takes on the type of what it meets.
    """

    low: float
    high: float
    whole: bool
    grid: int | None = 0
    rounded: bool = False
    fault: Fault | None = None
    moving: bool = False
    strong: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", min(self.low, BEYOND) if self.low >= -BEYOND else -math.inf)
        object.__setattr__(self, "high", max(self.high, -BEYOND) if self.high <= BEYOND else math.inf)

    @property
    def most(self) -> float:
        return max(abs(self.low), abs(self.high))

    @property
    def exact(self) -> bool:
        """Whether single precision holds each of the numbers."""
        return self.grid is not None and self.most <= 2.0 ** (DIGITS + self.grid)


def constant(value: float) -> Number:
    """A number that is written down."""
    if isinstance(value, int):
        return Number(value, value, True, _twos(value) if value else 0)
    if not math.isfinite(value) or abs(value) > 2.0**127:
        return Number(value, value, False, None)
    if struct.unpack("f", struct.pack("f", value))[0] != value:
        return Number(value, value, False, None)
    mantissa, exponent = math.frexp(value)
    whole = int(mantissa * 2**DIGITS)
    return Number(value, value, False, exponent - DIGITS + _twos(whole) if whole else 0)


def _twos(number: int) -> int:
    return (number & -number).bit_length() - 1


def size() -> Number:
    """A Python int of which nothing is known."""
    return Number(-MOST_TRIPS, MOST_TRIPS, True)


def some_float() -> Number:
    """A Python float of which nothing is known."""
    return Number(-math.inf, math.inf, False, None)


def join(a: Number, b: Number) -> Number:
    """The smallest range that contains both."""
    grids = None if a.grid is None or b.grid is None else min(a.grid, b.grid)
    return Number(
        min(a.low, b.low), max(a.high, b.high), a.whole and b.whole, grids, a.rounded or b.rounded,
        _worse(a.fault, b.fault), a.moving or b.moving,
    )  # fmt: skip


def _worse(*faults: Fault | None) -> Fault | None:
    return max(faults, key=_ORDER.index)


def _hard(*parts: Number) -> Fault | None:
    """The fault of what is worked out of these other than by sums and products."""
    return _worse(*("wide" if p.fault == "ring" else p.fault for p in parts))


def _made(
    parts: tuple[Number, ...], low: float, high: float, grid: int | None, *, scaled: bool = False, ring: bool = False
) -> Number:
    """The result of one operation; `scaled`: it only moves the point; `ring`: it is a sum or a product."""
    whole, moving = all(p.whole for p in parts), any(p.moving for p in parts)
    fault = _worse(*(p.fault for p in parts)) if ring and whole else _hard(*parts)
    made = Number(low, high, whole, grid, False, fault, moving)
    if whole:
        wide = made.most > INT
        return replace(made, fault=_worse(fault, "ring" if wide else None))
    if all(p.exact for p in parts) and grid is not None and grid >= SMALLEST and made.exact:
        return made
    once = all(p.exact for p in parts) or (scaled and all(p.exact or p.rounded for p in parts))
    return replace(made, grid=None, rounded=once, fault=_worse(fault, None if once or not moving else "double"))


def _corners(operation: Callable[[float, float], float], a: Number, b: Number) -> tuple[float, float]:
    if not all(map(math.isfinite, (a.low, a.high, b.low, b.high))):
        return -math.inf, math.inf
    try:
        found = [operation(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    except (OverflowError, ZeroDivisionError):
        return -math.inf, math.inf
    return min(found), max(found)


def add(a: Number, b: Number) -> Number:
    grid = None if a.grid is None or b.grid is None else min(a.grid, b.grid)
    return _made((a, b), a.low + b.low, a.high + b.high, grid, ring=True)


def negative(a: Number) -> Number:
    return replace(a, low=-a.high, high=-a.low)


def multiply(a: Number, b: Number) -> Number:
    grid = None if a.grid is None or b.grid is None else a.grid + b.grid
    return _made((a, b), *_corners(lambda x, y: x * y, a, b), grid, scaled=_power(a) or _power(b), ring=True)


def _power(a: Number) -> bool:
    """Whether the value is a single power of two: multiplying or dividing by it is exact."""
    return a.low == a.high and math.isfinite(a.low) and a.low != 0 and math.frexp(abs(a.low))[0] == 0.5


def divide(a: Number, b: Number) -> Number:
    low, high = (-math.inf, math.inf) if b.low <= 0 <= b.high else _corners(lambda x, y: x / y, a, b)
    grid = None
    if _power(b) and a.grid is not None:
        grid = a.grid - (math.frexp(abs(b.low))[1] - 1)
    made = _made((replace(a, whole=False), replace(b, whole=False)), low, high, grid, scaled=_power(b))
    inverse = made.moving and not b.moving and not _power(b)  # XLA multiplies by the inverse of what is constant
    return replace(made, fault=_worse(made.fault, _hard(a, b), "double" if inverse else None))


def floor_divide(a: Number, b: Number) -> Number:
    by = replace(b, low=max(b.low, 1), high=max(b.high, 1)) if b.whole and b.low >= 0 else b  # 0 raises
    most = math.inf if by.low <= 0 <= by.high and not by.whole else a.most + 1
    low, high = (-most, most) if by.low <= 0 <= by.high else _corners(lambda x, y: x // y, a, by)
    return _settled(a, b, low, high, 0)


def modulo(a: Number, b: Number) -> Number:
    high = b.high - 1 if a.whole and b.whole else b.high
    if b.low >= 0:
        low, high = 0.0, min(max(high, 0), a.high) if a.low >= 0 else max(high, 0)
    else:
        low, high = -b.most, b.most
    grid = None if a.grid is None or b.grid is None else min(a.grid, b.grid)
    return _settled(a, b, low, high, grid)


def _settled(a: Number, b: Number, low: float, high: float, grid: int | None) -> Number:
    """The result of what jumps: of a number that was rounded before it may be another one."""
    whole = a.whole and b.whole
    made = Number(low, high, whole, grid, False, _hard(a, b), a.moving or b.moving)
    sound = whole or (a.exact and b.exact and made.exact)
    return made if sound else replace(made, fault=_worse(made.fault, "double" if made.moving else None))


def power(a: Number, b: Number) -> Number:
    """A power; what has a negative exponent, or a float in it, is a float that no tracer gives as exactly."""
    moving = a.moving or b.moving
    fault = _worse(_hard(b), a.fault if b.low == b.high else _hard(a))
    if a.whole and b.whole and b.low >= 0:
        if (b.high > 64 or a.most > BEYOND) and a.most > 1:
            return Number(-math.inf, math.inf, True, 0, False, _worse(fault, "ring"), moving)
        low, high = _corners(lambda x, y: x**y, a, b)
        low = min(low, -max(abs(low), abs(high)) if a.low < 0 else 0)
        made = Number(low, high, True, 0, False, fault, moving)
        return replace(made, fault=_worse(fault, "ring")) if made.most > INT else made
    if b.low == b.high == 1:
        return a
    if b.low == b.high == 2:
        return multiply(a, a)
    return Number(-math.inf, math.inf, False, None, False, _worse(fault, "double" if moving else None), moving)


def compare(a: Number, b: Number) -> Number:
    """A truth value: of numbers that are rounded first it may be another one."""
    sound = (a.whole and b.whole) or (a.exact and b.exact)
    moving = a.moving or b.moving
    return Number(0, 1, True, 0, False, _worse(_hard(a, b), "double" if moving and not sound else None), moving)


def as_float(a: Number) -> Number:
    """`float(i)`."""
    return a if not a.whole else replace(a, whole=False, fault=_hard(a), rounded=not a.exact)


def as_int(a: Number) -> Number:
    """`int(t)`: where that leaves int32 a tracer stays at its end."""
    if a.whole:
        return a
    wide: Fault | None = "wide" if a.most > INT else None
    unsound: Fault | None = "double" if a.moving and not a.exact else None
    return Number(a.low, a.high, True, 0, False, _worse(_hard(a), wide, unsound), a.moving)


def some(a: Number, *, whole: bool) -> Number:
    """Anything that is worked out of a number in a way that no tracer does as exactly."""
    return Number(-math.inf, math.inf, whole, None, False, _worse(_hard(a), "double"), a.moving)


def written(value: object) -> Number | None:
    """A value that is known: True and False count as 1 and 0; None of what is no number."""
    if isinstance(value, bool):
        return Number(0, 1, True)
    return constant(value) if isinstance(value, int | float) else None


def of_kind(dtype: str | None) -> Number | None:
    """A Python number of which only the type is known."""
    match dtype:
        case "int":
            return size()
        case "bool":
            return Number(0, 1, True)
        case "float":
            return some_float()
    return None


def joined(parts: list[Number]) -> Number:
    """The smallest range that contains all of several numbers."""
    made = parts[0]
    for part in parts[1:]:
        made = join(made, part)
    return made


def extreme(parts: list[Number], choose: Callable[[Iterable[float]], float]) -> Number:
    """The smallest of several numbers, or the largest: `choose` is `min` or `max`."""
    made = joined(parts)
    return replace(made, low=choose(p.low for p in parts), high=choose(p.high for p in parts))


_ARITHMETIC: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: add, ast.Sub: lambda a, b: add(a, negative(b)), ast.Mult: multiply, ast.Div: divide,
    ast.FloorDiv: floor_divide, ast.Mod: modulo, ast.Pow: power,
}  # fmt: skip


def binary(op: ast.operator, a: Number, b: Number) -> Number | None:
    """The result of an operator; None where Python has none for such numbers."""
    operation = _ARITHMETIC.get(type(op))
    if operation is not None:
        return operation(a, b)
    return _bitwise(op, a, b) if a.whole and b.whole else None


def _bitwise(op: ast.operator, a: Number, b: Number) -> Number:
    """Shifts and bits of whole numbers."""
    moving, like_a = a.moving or b.moving, floor_divide(a, constant(1))
    match op:
        case ast.LShift():
            return multiply(a, power(constant(2), b))
        case ast.RShift():
            return replace(like_a, moving=moving)
        case ast.BitAnd() if min(a.low, b.low) >= 0:
            return replace(like_a, low=0, high=min(a.high, b.high), moving=moving)
    most = max(a.most, b.most)
    top = 2 ** (int(most).bit_length()) if most <= INT else INT + 1
    made = join(a, b)
    return replace(made, low=-top, high=top, fault=floor_divide(made, constant(1)).fault)
