"""Whole numbers that a program makes of its loops' counters alone: from which trip on they leave their type.

Python's whole numbers have no end. Where the old version computes with them, and the new one with a counter of 32 bits,
both are the same program for the few trips of a proof and differ at some later one. So intervals of what is computed
from counters are followed through the program, by exact arithmetic; what comes of the data is not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .equations import (
    NotUnderstood,
    branches,
    integer,
    integers,
    name_of,
    parameter,
    scan,
    while_loop,
)
from .jaxpr_walk import JaxprWalk

if TYPE_CHECKING:
    from jax.extend.core import Jaxpr, JaxprEqn

    from .equations import ClosedJaxpr

LONG = 10_000
"""Trips that a loop of unknown length may well make."""
LONGEST = 2**22
"""The most that anybody waits for."""
LARGE_NUMBER = 2**29
"""A number of Python up to which it is followed: what is added to it stays within 32 bits."""
STEPS = 48
"""Trips that are followed one by one: what grows by a factor has left its type by then."""
BUDGET = 200_000
"""Equations that are looked at, those of each trip counted."""
THROUGH = frozenset(
    [
        *("broadcast_in_dim", "reshape", "squeeze", "expand_dims", "copy", "copy_p", "slice", "dynamic_slice", "rev"),
        *("transpose", "gather", "stop_gradient", "reduce_max", "reduce_min", "device_put"),
    ]
)


class Interval(NamedTuple):
    """All values that a whole number takes; `counted` ones depend on a counter."""

    low: int
    high: int
    counted: bool = False


Known = Interval | None


@dataclass
class CounterRanges(JaxprWalk[Known]):
    """Follows one program; `trips` are the most that a loop of the given length makes."""

    trips: Callable[[int | None], int]
    left: list[str] = field(default_factory=list)

    def literal(self, value: object, aval: object) -> Known:
        """The interval of a constant: numbers, and arrays such as those of `arange`, count with no loop."""
        array = (
            np.asarray(value) if isinstance(value, int | np.generic | np.ndarray) or hasattr(value, "dtype") else None
        )
        if array is None or array.dtype.kind not in "iu" or not array.size:
            return None
        return Interval(int(array.min()), int(array.max()))

    def spend(self, equations: int) -> None:
        self.spent += equations
        if self.spent > BUDGET:
            raise NotUnderstood("a program of so many trips")

    def enter(self, jaxpr: Jaxpr) -> Sequence[JaxprEqn]:
        return jaxpr.eqns

    def primitive(self, equation: JaxprEqn, operands: list[Known]) -> Sequence[Known]:
        name, nothing = name_of(equation), [None] * len(equation.outvars)
        if name in ("unstack", "split"):
            return [operands[0]] * len(equation.outvars)
        found = self.range(equation) if name == "iota" else _computed(name, equation, operands)
        return nothing if found is None else [self.fitting(equation, found, operands)]

    def branch(self, equation: JaxprEqn, operands: list[Known]) -> Sequence[Known]:
        arms = [self.closed(arm, operands[1:]) for arm in branches(equation)]
        return [_joined(results) for results in zip(*arms, strict=True)]

    def range(self, equation: JaxprEqn) -> Interval:
        """The numbers of an axis: as many as there are trips of what goes over them."""
        shape, axis = integers(equation, "shape"), integer(equation, "dimension")
        return Interval(0, max(self.trips(shape[axis]) - 1, 0), counted=True)

    def fitting(self, equation: JaxprEqn, found: Interval, operands: Sequence[Known]) -> Known:
        """The result, unless it leaves its type: that of a counter is told of, and nothing is known of what follows."""
        dtype = np.dtype(equation.outvars[0].aval.dtype)  # type: ignore[attr-defined]
        if dtype.kind not in "iu":
            return None
        counted = found.counted or any(o is not None and o.counted for o in operands)
        limits = np.iinfo(str(dtype))
        if limits.min <= found.low and found.high <= limits.max:
            return found._replace(counted=counted)
        if counted and dtype.itemsize >= 4:
            self.left.append(f"{dtype} holds no {max(found.high, -found.low)}")
        return None

    def scan(self, equation: JaxprEqn, operands: list[Known]) -> Sequence[Known]:
        parts = scan(equation)
        first = operands[parts.consts : parts.consts + parts.carries]
        trips = self.trips(parts.length)
        constants, rows = operands[: parts.consts], operands[parts.consts + parts.carries :]

        def step(carry: Sequence[Known]) -> Sequence[Known]:
            return self.closed(parts.body, [*constants, *carry, *rows])

        carry = self.carried(first, step, trips)
        ended = step(carry)
        return [*map(_joined, zip(first, ended[: parts.carries], strict=True)), *ended[parts.carries :]]

    def while_loop(self, equation: JaxprEqn, operands: list[Known]) -> Sequence[Known]:
        parts = while_loop(equation)
        given = operands[parts.test_consts : parts.test_consts + parts.body_consts]
        first = operands[parts.test_consts + parts.body_consts :]

        def step(carry: Sequence[Known]) -> Sequence[Known]:
            return self.closed(parts.body, [*given, *carry])

        carry = self.carried(first, step, self.trips(None))
        return [_joined(pair) for pair in zip(first, step(carry), strict=True)]

    def carried(
        self, first: Sequence[Known], step: Callable[[Sequence[Known]], Sequence[Known]], trips: int
    ) -> list[Known]:
        """The intervals of the carries over all trips: the first trips are followed, counters go on by their step."""
        count = len(first)
        now, spans = list(first), list(first)
        steps: list[int | None] = [None] * count
        for trip in range(min(STEPS, trips)):
            after = [_counted(a, b) for a, b in zip(now, step(now)[:count], strict=True)]
            moved = [_step(a, b) for a, b in zip(now, after, strict=True)]
            steady = trip > 0 and all(d is not None or b is None for d, b in zip(moved, after, strict=True))
            settled = steady and all(d == e or b is None for d, e, b in zip(moved, steps, after, strict=True))
            spans = [_joined(pair) for pair in zip(spans, after, strict=True)]
            now, steps = after, moved
            if settled:
                break
        if trips <= STEPS:
            return spans
        return [_goes_on(a, b, d, trips) for a, b, d in zip(first, spans, steps, strict=True)]


def _counted(before: Known, after: Known) -> Known:
    """The interval after a trip: a number that changes without any data depends on how many trips there were."""
    return after._replace(counted=True) if after is not None and after != before else after


def _step(before: Known, after: Known) -> int | None:
    """By how much a trip moves a whole number, where it moves all its values alike."""
    if before is None or after is None or after.low - before.low != after.high - before.high:
        return None
    return after.low - before.low


def _goes_on(first: Known, span: Known, by: int | None, trips: int) -> Known:
    """A whole number that each trip moves by as much; None where it moves otherwise."""
    if first is None or span is None or by is None:
        return None
    if by == 0:
        return span
    ends = first.low, first.high, first.low + by * (trips - 1), first.high + by * (trips - 1)
    return Interval(min(ends), max(ends), counted=True)


def _joined(several: Sequence[Known]) -> Known:
    if any(one is None for one in several):
        return None
    found = [one for one in several if one is not None]
    return Interval(min(o.low for o in found), max(o.high for o in found), any(o.counted for o in found))


def _computed(name: str, equation: JaxprEqn, operands: Sequence[Known]) -> Known:
    """The exact values of one operation; None where they are not known."""
    if name in THROUGH:
        return operands[0]
    if any(o is None for o in operands):
        return _of_remainder(name, operands)
    known = [o for o in operands if o is not None]
    if name == "convert_element_type" and len(known) == 1:
        return known[0]
    if name == "integer_pow":
        power = int(str(parameter(equation, "y")))
        return _within(known, lambda a: a**power) if 0 <= power <= 16 else None
    if name in OPERATIONS and len(known) == OPERATIONS[name][0]:
        return _within(known, OPERATIONS[name][1])
    return _of_remainder(name, operands)


def _of_remainder(name: str, operands: Sequence[Known]) -> Known:
    """`a % n` for a known number: smaller than it, whatever `a` is; of a counter that stayed in its type."""
    match name, operands:
        case "rem", [Interval() as left, Interval(low=low, high=high)] if low == high != 0:
            most = abs(low) - 1
            return Interval(-most if left.low < 0 else 0, min(most, max(abs(left.low), abs(left.high))), left.counted)
    return None


OPERATIONS: Mapping[str, tuple[int, Callable[..., int]]] = {
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b),
    "max": (2, max),
    "min": (2, min),
    "neg": (1, lambda a: -a),
    "abs": (1, abs),
}


def _within(known: Sequence[Interval], operation: Callable[..., int]) -> Interval:
    """The least interval around the values at the ends, and at zero for what turns there."""
    ends: list[tuple[int, ...]] = [()]
    for one in known:
        turn = (0,) if one.low < 0 < one.high else ()
        ends = [(*so_far, value) for so_far in ends for value in (one.low, one.high, *turn)]
    values = [operation(*arguments) for arguments in ends]
    return Interval(min(values), max(values))


def leaves_its_type(program: ClosedJaxpr, exact: Container[int], most: int) -> str:
    """Where a whole number made of counters leaves its type, within `most` trips; "" where none does.

    Loops of a length in `exact`, which the text says, make no more trips than that.
    """

    def trips(length: int | None) -> int:
        return length if length is not None and length in exact else max(length or 0, most)

    counting = CounterRanges(trips)
    try:
        counting.closed(program, [None] * len(program.jaxpr.invars))
    except NotUnderstood:  # the proof has said so: then the versions are tested
        return ""
    return counting.left[0] if counting.left else ""


def leaves_with_numbers(program: ClosedJaxpr, at: Container[int]) -> bool:
    """Whether a whole number made of these inputs leaves its type, for one of at most `LARGE_NUMBER`."""
    counting = CounterRanges(lambda length: length or 0)
    given = Interval(-LARGE_NUMBER, LARGE_NUMBER, counted=True)
    try:
        counting.closed(program, [given if k in at else None for k in range(len(program.jaxpr.invars))])
    except NotUnderstood:
        return True
    return bool(counting.left)


def first_trip(program: ClosedJaxpr, exact: Container[int]) -> int | None:
    """The least number of trips, of powers of two, at which a counter's number leaves its type; None up to LONGEST."""
    if not leaves_its_type(program, exact, LONGEST):
        return None
    powers = (2**k for k in range(4, int(math.log2(LONGEST)) + 1))
    return next((n for n in powers if leaves_its_type(program, exact, n)), LONGEST)
