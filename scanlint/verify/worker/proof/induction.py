"""Loops whose trips are not known, compared by induction: what starts equal and steps equally stays equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .value_numbers import Key, Numbering, TooLarge

MAX_TRIED = 12
MAX_ELEMENTS = 4_000


class Trip(NamedTuple):
    """One trip as numbers: what is tested before it, what is carried on, and what it gives."""

    tests: tuple[int, ...]
    carried: tuple[int, ...]
    given: tuple[int, ...] = ()


@dataclass(frozen=True)
class Loop:
    """`kind` is what loops must have in common; `initial` the numbers that are carried in, element by element."""

    kind: Key
    initial: tuple[int, ...]
    trip: Callable[[Sequence[int]], Trip]


class Ended(NamedTuple):
    """What a loop leaves: numbers of the carried elements, and for each element that a trip gives one for all trips."""

    carried: tuple[int, ...]
    given: tuple[int, ...]


@dataclass(frozen=True)
class Known:
    """A loop that was met before, with the elements that it hands on as they are, and what it leaves."""

    loop: Loop
    fixed: frozenset[int]
    ended: Ended


class Matched(NamedTuple):
    """What a loop leaves in terms of another one, and how many of its classes that one lacks."""

    ended: Ended
    missing: int


class Loops:
    """The loops of both programs over one Numbering.

    Elements that a trip hands on as they are keep their number. The others fall into classes: equal at the start, and
    equal after a trip if all classes were equal before it. By induction a class has one value on every trip. Two loops
    whose tests are equal under joint classes make the same trips, and what is in one class comes out equal.
    """

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering
        self.known: list[Known] = []
        self.fresh = 0

    def ended(self, loop: Loop) -> Ended:
        """What the loop leaves, in terms of a loop met before where they agree."""
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
        """A number for any value."""
        self.fresh += 1
        return self.numbering.node(("any", self.fresh))

    def fixed(self, loop: Loop) -> frozenset[int]:
        """The elements that every trip hands on as they are."""
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
        """Whether the loops may match at all: what moves in one starts as something that moves in the other."""
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
        """What each element is in the end: as it was, what `numbers` says of its class, or a number of the class."""
        return tuple(
            x if c < 0 else numbers.get(c) or self.numbering.node(("left", places[c]))
            for c, x in zip(labels, loop.initial, strict=True)
        )

    def matched(self, loop: Loop, fixed: frozenset[int], other: Known) -> Matched | None:
        """What the loop leaves, in terms of another one; None where they may make other trips."""
        (mine, theirs), (trip, known), places = self.classes([(loop, fixed), (other.loop, other.fixed)])
        missing = {c for c in mine if c >= 0} - set(theirs)
        if trip.tests != known.tests or (missing and missing == set(mine) - {-1}):
            return None
        carried = self.left(loop, mine, places, dict(zip(theirs, other.ended.carried, strict=True)))
        names = dict(zip(known.given, other.ended.given, strict=True))
        return Matched(Ended(carried, tuple(names.get(x, x) for x in trip.given)), len(missing))
