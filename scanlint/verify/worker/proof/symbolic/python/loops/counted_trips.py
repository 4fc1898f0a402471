"""Loops whose number of trips is known as a polynomial: one trip is run, and becomes the step of a scan."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import jax
import jax.numpy as jnp
from jax import lax

from ...polynomials import NotProved, Polynomial, number, symbol
from ..numbers_of_trips import polynomial, whole
from ..python_values import UNBOUND, ListRows, Signal, SymbolicInt, TripSpan, Value, dated
from .loop_state import (
    MovesLater,
    Onward,
    PythonLoop,
    State,
    alike,
    arrays,
    carried,
    fill,
    growing,
    later,
    moving_too,
    perhaps,
    state_of,
)
from .one_trip import OneTrip

MOST_PEELED = 2
Carry = tuple[object, list[Value], list[list[Value]]]
Rows = tuple[list[Value], list[tuple[Value, ...]], list[jax.Array]]


@dataclass
class Scanned:
    """A loop on its way to a scan: what each trip does to each location, and how much it adds to each list."""

    state: State
    before: list[Value]
    plan: list[Onward]
    grows: list[int]
    loop: PythonLoop
    count: Polynomial
    name: str
    noted: dict[int, Value] = field(default_factory=dict)

    def places(self, kind: str) -> list[int]:
        return [k for k, place in enumerate(self.plan) if place.kind == kind]


class CountedTrips(OneTrip):
    """A loop that goes on like its first trip."""

    def until(self, loop: PythonLoop) -> Signal:
        raise NotImplementedError

    def rolled(self, loop: PythonLoop) -> Signal:
        """A loop of as many trips as the span has."""
        if self.reverse:
            raise NotProved("a loop of Python in what is differentiated: a scan adds gradients in another order")
        assert isinstance(loop.over, TripSpan)
        self.sizes.gone_through |= self.integers.free(loop.over.count)
        if any(free in self.traced.trips for free in self.integers.free(loop.over.count)):
            return self.until(loop)
        peeled = 0
        while True:
            over = loop.over
            if over.count.constant is not None and over.count.constant <= 0:
                return None
            state = state_of(loop.frame, loop.names)
            before, windows = state.read(), self.windows(state)
            planned = self.planned(state, before, windows, functools.partial(loop.trip, number(0)))
            if isinstance(planned, list):
                break
            if peeled == MOST_PEELED or not self.integers.at_least_zero(over.count - 1):
                raise NotProved("a first trip that is unlike the others")
            self.finish(state, planned)
            loop, peeled = dataclasses.replace(loop, over=over.without_first()), peeled + 1
        if self.leaves(self.dry):
            return self.until(loop)
        moved: set[int] = set()
        while True:
            plan = moving_too(planned, before, moved)
            try:
                self.scan(Scanned(state, before, plan, growing(state, self.dry), loop, over.count, self.trip_name()))
            except MovesLater as error:
                state.write(before)
                state.restore()
                if error.before is not before or error.slot in moved or not arrays(before[error.slot]):
                    raise
                moved.add(error.slot)
            else:
                return None

    def scan(self, loop: Scanned) -> None:
        state, count = loop.state, loop.count
        known = [w if grow else [] for w, grow in zip(self.windows(state), loop.grows, strict=True)]
        windows = [self.begun(w, added) for w, added in zip(known, self.dry.added, strict=True)]
        self.same_start(state, loop.plan, loop.before, self.windows(state), loop.loop, (known, windows),
                        several=self.integers.at_least_zero(count - 2))  # fmt: skip
        for held, grow in zip(state.lists, loop.grows, strict=True):
            if grow and held.blank is not None and not self.integers.at_least_zero(held.blank - count * grow):
                raise NotProved("more places are filled than a list may have")
        starts = [loop.plan[k].by for k in loop.places("array")]
        first = jax.tree_util.tree_map(jnp.asarray, (starts, windows))
        with self.integers.within(loop.name, count):
            over_trips = jnp.arange(self.given(whole(count)))  # type: ignore[arg-type,unused-ignore]
            # a length that is a symbol is asked of an array alone
            ended: object = lax.scan(self.step(loop), (0, *first), over_trips)
            state.write(loop.before)
            state.restore()
        (_, moved, _), rows = cast("tuple[Carry, Rows]", ended)
        self.ended(loop, moved, rows)
        self.traced.trips.pop(loop.name, None)

    def step(self, loop: Scanned) -> Callable[[Carry, object], tuple[Carry, object]]:
        """One trip, from what is carried before it: the index, locations and the last items of lists."""

        def step(carry: Carry, _: object) -> tuple[Carry, object]:
            self.traced.trips[loop.name] = carry[0]  # type: ignore[assignment]
            trip = symbol(loop.name)
            shown = self.shown(loop.plan, loop.before, carry[1], trip)
            grown = [trip * grow for grow in loop.grows]
            after = self.trip(loop.state, shown, carry[2], functools.partial(loop.loop.trip, trip), grown)
            self.goes_on(loop.plan, loop.before, after, trip)
            if [len(added) for added in after.added] != loop.grows or self.leaves(after):
                raise NotProved("a list that grows on some trips")
            loop.noted.update({k: after.values[k] for k in loop.places("last")})
            recent = [later(window, added) for window, added in zip(carry[2], after.added, strict=True)]
            given = [after.values[k] if arrays(after.values[k]) else None for k in loop.places("last")]
            items = [tuple(self.unknown(x) for x in added) for added in after.added]
            if not all(arrays(item) and not isinstance(item, ListRows) for added in items for item in added):
                raise NotProved("a list of what is no array")
            moved = [after.values[k] for k in loop.places("array")]
            joined = [jnp.concatenate(after.values[k].added) for k in loop.places("grown")]  # type: ignore[attr-defined]
            return (carry[0] + 1, moved, recent), (given, items, joined)  # type: ignore[operator]

        return step

    def begun(self, window: list[Value], added: Sequence[Value]) -> list[Value]:
        """The last items of a list as they are carried: of the type of what trips add, numbers of Python as arrays."""
        if len(added) != 1:
            return window
        found: list[Value] = []
        for item in reversed(window):
            start = item if carried(item) else self.as_carried(item, added[0])
            if not alike(start, added[0]):
                break
            found.insert(0, start)
        return (
            window if len(found) == len(window) and all(a is b for a, b in zip(found, window, strict=True)) else found
        )

    def as_carried(self, item: Value, like: Value) -> Value:
        if not isinstance(like, jax.Array) or like.shape or like.dtype.kind not in "iuf":
            return UNBOUND
        return lax.convert_element_type(jnp.asarray(self.given(item)), like.dtype)

    def ended(self, loop: Scanned, moved: list[Value], rows: Rows) -> None:
        """Give each location and list what it has after the last trip."""
        before, count, (given, added, joined) = loop.before, loop.count, rows
        some = self.integers.at_least_zero(count - 1)
        moving, ends = loop.places("array"), loop.places("last")
        for k, place in enumerate(loop.plan):
            if place.kind == "array":
                after = moved[moving.index(k)]
                value = after if some else perhaps(before[k], place.by, after)
                before[k] = dated(value, loop.state.born(k, self.depth))
            elif place.kind == "int":
                before[k] = whole(polynomial(before[k]) + polynomial(place.by) * count)
            elif place.kind == "grown":
                more = joined[loop.places("grown").index(k)]
                more = more.reshape((more.shape[0] * more.shape[1], *more.shape[2:]))
                before[k] = jnp.concatenate([before[k], more])  # type: ignore[list-item]
            elif place.kind == "last":
                value = self.at_end(loop, loop.noted[k], given[ends.index(k)]) if some else UNBOUND
                before[k] = dated(value, loop.state.born(k, self.depth))
        loop.state.write(before)
        fill(loop.state, loop.grows, added, count)

    def at_end(self, loop: Scanned, noted: Value, given: Value) -> Value:
        """What is bound on the last trip."""
        if given is not None:
            return jax.tree_util.tree_map(lambda a: a[-1], given)
        if isinstance(noted, SymbolicInt):
            name = loop.name
            hidden = any(name in self.integers.free(symbol(s)) for s in noted.value.symbols if s != name)
            return UNBOUND if hidden else whole(noted.value.replaced(name, loop.count - 1))
        return noted if isinstance(noted, bool | int | float | str | None) else UNBOUND
