"""Loops of unknown trip count, compared by induction: values equal at the start and after each trip stay equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .value_numbers import Key, Numbering, TooLarge

MAX_TRIED = 12
MAX_ELEMENTS = 4_000


class Trip(NamedTuple):
    """One trip in value numbers: its test, its carry and its outputs."""

    tests: tuple[int, ...]
    carried: tuple[int, ...]
    given: tuple[int, ...] = ()


@dataclass(frozen=True)
class Loop:
    """`kind` must be equal for loops to match; `initial` are the numbers of the initial carry, element by element."""

    kind: Key
    initial: tuple[int, ...]
    trip: Callable[[Sequence[int]], Trip]


class Ended(NamedTuple):
    """The results of a loop: numbers of the carried elements, and one number per collected element for all trips."""

    carried: tuple[int, ...]
    given: tuple[int, ...]


@dataclass(frozen=True)
class Known:
    """A loop that was numbered before, with its invariant elements and its results."""

    loop: Loop
    fixed: frozenset[int]
    ended: Ended


class Matched(NamedTuple):
    """The results of a loop in terms of another one, and how many of its classes the other lacks."""

    ended: Ended
    missing: int


class Loops:
    """The loops of both programs over one Numbering.

    Invariant elements keep their number. The others are partitioned into classes: equal at the start, and equal after a
    trip if all classes were equal before it. By induction a class has one value on every trip. Two loops whose tests
    are equal under joint classes make the same trips, and elements of one class have equal results.
    """

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering
        self.known: list[Known] = []
        self.fresh = 0

    def ended(self, loop: Loop) -> Ended:
        """The results of the loop, in terms of an equal loop if there was one before."""
        fixed = self.fixed(loop)
        alike = [k for k in self.known if k.loop.kind == loop.kind and self.alike(loop, fixed, k)]
        found = (self.matched(loop, fixed, other) for other in alike[: -MAX_TRIED - 1 : -1])
        best = min((f for f in found if f is not None), key=lambda f: f.missing, default=None)
        if best is not None:
            if best.missing:
                self.known.append(Known(loop, fixed, best.ended))
            return best.ended
        (labels,), (trip,), places = self.classes([(loop, fixed)])
        ended = Ended(self.left(loop, labels, places, {}), trip.given)
        self.known.append(Known(loop, fixed, ended))
        return ended

    def place(self) -> int:
        """A number for an unknown value."""
        self.fresh += 1
        return self.numbering.node(("any", self.fresh))

    def fixed(self, loop: Loop) -> frozenset[int]:
        """The elements that every trip leaves unchanged."""
        count = len(loop.initial)
        if count > MAX_ELEMENTS:
            raise TooLarge("a loop carries too much to be compared symbolically")
        places = [self.place() for _ in range(count)]
        fixed: frozenset[int] = frozenset()
        while True:
            start = [loop.initial[i] if i in fixed else places[i] for i in range(count)]
            after = loop.trip(start).carried
            found = fixed | {i for i in range(count) if after[i] == start[i]}
            if found == fixed:
                return fixed
            fixed = found

    def alike(self, loop: Loop, fixed: frozenset[int], other: Known) -> bool:
        """Whether the loops can match: each changing element starts equal to one of the other loop."""
        mine = {x for i, x in enumerate(loop.initial) if i not in fixed}
        theirs = {x for i, x in enumerate(other.loop.initial) if i not in other.fixed}
        return mine <= theirs or theirs <= mine

    def classes(
        self, loops: Sequence[tuple[Loop, frozenset[int]]]
    ) -> tuple[list[list[int]], list[Trip], dict[int, int]]:
        """The class of each element (-1 where it is fixed), a trip, and the number that each class has in it."""
        labels = [[-1 if i in fixed else x for i, x in enumerate(loop.initial)] for loop, fixed in loops]
        while True:
            places = {c: self.place() for c in sorted({c for row in labels for c in row if c >= 0})}
            trips = [
                loop.trip([places.get(c, x) for c, x in zip(row, loop.initial, strict=True)])
                for row, (loop, _) in zip(labels, loops, strict=True)
            ]
            split: dict[tuple[int, int], int] = {}
            finer = [
                [c if c < 0 else split.setdefault((c, x), len(split)) for c, x in zip(row, trip.carried, strict=True)]
                for row, trip in zip(labels, trips, strict=True)
            ]
            if len(split) == len(places):
                return labels, trips, places
            labels = finer

    def left(self, loop: Loop, labels: list[int], places: dict[int, int], numbers: dict[int, int]) -> tuple[int, ...]:
        """The final number of each element: the initial one, else the one of its class in `numbers`, else a new one."""
        return tuple(
            x if c < 0 else numbers.get(c) or self.numbering.node(("left", places[c]))
            for c, x in zip(labels, loop.initial, strict=True)
        )

    def matched(self, loop: Loop, fixed: frozenset[int], other: Known) -> Matched | None:
        """The results of the loop in terms of another one; None if their trips may differ."""
        (mine, theirs), (trip, known), places = self.classes([(loop, fixed), (other.loop, other.fixed)])
        missing = {c for c in mine if c >= 0} - set(theirs)
        if trip.tests != known.tests or (missing and missing == set(mine) - {-1}):
            return None
        carried = self.left(loop, mine, places, dict(zip(theirs, other.ended.carried, strict=True)))
        names = dict(zip(known.given, other.ended.given, strict=True))
        return Matched(Ended(carried, tuple(names.get(x, x) for x in trip.given)), len(missing))
