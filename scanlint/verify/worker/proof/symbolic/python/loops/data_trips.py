"""Loops that data end: what they test and one trip become the two functions of a loop of JAX."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jax import lax

from ...polynomials import NotProved, Polynomial, number, symbol
from ..numbers_of_trips import is_whole, polynomial, whole
from ..python_expressions import LONGEST, MOST_TRIPS
from ..python_values import (
    BREAK,
    NO_RESULT,
    UNBOUND,
    Returned,
    Signal,
    SymbolicInt,
    TripSpan,
    UnknownNumber,
    Value,
    dated,
)
from .counted_trips import CountedTrips
from .loop_state import After, Onward, PythonLoop, State, carried, perhaps, state_of

Carry = tuple[jax.Array, jax.Array, list[Value], list[Value], list[jax.Array]]
"""The trips made, whether the loop was left, locations, what else is bound on the last trip, what is returned."""


@dataclass
class EndedByData:
    """A loop on its way to one that data end; `certain`: it makes a trip; `ends` are the names that are then bound."""

    loop: PythonLoop
    state: State
    before: list[Value]
    windows: list[list[Value]]
    plan: list[Onward]
    dry: After
    name: str
    certain: bool
    noted: dict[int, Value] = field(default_factory=dict)

    @property
    def most(self) -> Polynomial:
        """More trips it does not make."""
        over = self.loop.over
        return over.count if isinstance(over, TripSpan) else number(LONGEST)

    @property
    def moving(self) -> list[int]:
        return [k for k, place in enumerate(self.plan) if place.kind == "array"]

    @property
    def last(self) -> list[int]:
        return [k for k, place in enumerate(self.plan) if place.kind == "last"]

    @property
    def ends(self) -> list[int]:
        return [k for k in self.last if self.certain and carried(self.dry.values[k])]


class DataTrips(CountedTrips):
    """A loop that a test, a `break`, a `return` or a number of trips ends that data decide."""

    def until(self, loop: PythonLoop) -> Signal:
        """The loop; BREAK or Returned where it is asked whether it was left."""
        state, name = state_of(loop.frame, loop.names), self.trip_name()
        before, windows = state.read(), self.windows(state)
        certain = self.makes_a_trip(loop, state, before)
        planned = self.planned(state, before, windows, functools.partial(loop.trip, number(0)))
        if not isinstance(planned, list):
            raise NotProved("a first trip that is unlike the others")
        if any(self.dry.added) or any(place.kind == "grown" for place in planned):
            raise NotProved("a list that grows until data end the loop")
        self.same_start(state, planned, before, windows, loop)
        made = EndedByData(loop, state, before, windows, planned, self.dry, name, certain)
        with self.integers.within(name, made.most):
            after = self.traced_loop(made)
        self.traced.trips.pop(name, None)
        state.write(self.values_after(made, after))
        state.restore()
        return self.signal_after(made, after)

    def makes_a_trip(self, loop: PythonLoop, state: State, before: Sequence[Value]) -> bool:
        """Whether the first trip is certain."""
        if isinstance(loop.over, TripSpan):
            return self.integers.at_least_zero(loop.over.count - 1)
        if loop.over is not None:
            return False
        if (test := loop.test) is None:
            return True
        with_none = self.asked.alone(lambda: state.write(before), lambda: self.truth(test()))
        state.write(before)
        return with_none is True

    def traced_loop(self, made: EndedByData) -> Carry:
        plan, before, state, spent = made.plan, made.before, made.state, self.leaves(made.dry)

        def entered(carry: Carry) -> list[Value]:
            self.traced.trips[made.name] = carry[0]
            return self.shown(plan, before, carry[2], symbol(made.name))

        def goes_on(carry: Carry) -> object:
            holds = self.holds(made, entered(carry), carry[0])
            return jnp.logical_and(jnp.asarray(holds), jnp.logical_not(carry[1])) if spent else holds

        def again(carry: Carry) -> Carry:
            shown, trip = entered(carry), symbol(made.name)
            after = self.trip(state, shown, made.windows, functools.partial(made.loop.trip, trip))
            self.goes_on(plan, before, after, trip)
            if any(after.added) or (self.leaves(after) and not spent):
                raise NotProved("a later trip does what the first one does not")
            ends, leaves = (
                [after.values[k] for k in made.ends],
                [jnp.asarray(after.returned), *self.leaves_of(after.result)],
            )
            if not all(map(carried, ends)) or self.form(after.result) != self.form(made.dry.result):
                raise NotProved("a later trip gives what the first one does not")
            made.noted.update({k: after.values[k] for k in made.last})
            return carry[0] + 1, jnp.asarray(after.left), [after.values[k] for k in made.moving], ends, leaves

        first = jax.tree_util.tree_map(jnp.asarray, [plan[k].by for k in made.moving])
        ends = jax.tree_util.tree_map(jnp.zeros_like, [made.dry.values[k] for k in made.ends])
        result = [jnp.asarray(False), *map(jnp.zeros_like, self.leaves_of(made.dry.result))]
        start = 0, jnp.asarray(False), first, ends, result
        return lax.while_loop(goes_on, again, start)  # type: ignore[arg-type, return-value]

    def holds(self, made: EndedByData, shown: Sequence[Value], trip: jax.Array) -> object:
        """Whether the loop goes on where its locations are these."""
        loop = made.loop
        if isinstance(loop.over, TripSpan):
            return trip < self.given(whole(loop.over.count))  # type: ignore[operator]
        if loop.over is not None:
            return trip + loop.over.start < loop.over.stop
        return self.test_of(loop.test, made.state, shown)

    def form(self, result: Value) -> object:
        """What of a returned value no trip changes: its structure and its numbers and words of Python."""
        if result is NO_RESULT:
            return None
        leaves, tree = jax.tree_util.tree_flatten(result, is_leaf=lambda x: isinstance(x, UnknownNumber))
        return tree, [
            "array" if isinstance(x, jax.Array) else _of(x) if _moves(x) else (type(x), repr(x)) for x in leaves
        ]

    def leaves_of(self, result: Value) -> list[jax.Array]:
        if result is NO_RESULT:
            return []
        leaves = jax.tree_util.tree_leaves(result, is_leaf=lambda x: isinstance(x, UnknownNumber))
        if not all(isinstance(x, jax.Array | bool | float | str) or _moves(x) for x in leaves):
            raise NotProved("what a loop returns is not known")
        return [jnp.asarray(self.given(x)) for x in leaves if isinstance(x, jax.Array) or _moves(x)]

    def returned(self, made: EndedByData, given: Sequence[jax.Array]) -> Value:
        """The value that the trip returned that left the loop."""
        left = iter(given)
        return jax.tree_util.tree_map(
            lambda x: next(left) if isinstance(x, jax.Array) else UnknownNumber(next(left), _of(x)) if _moves(x) else x,
            made.dry.result,
            is_leaf=lambda x: isinstance(x, UnknownNumber),
        )

    def values_after(self, made: EndedByData, after: Carry) -> list[Value]:
        """The locations after a loop that may have made no trip."""
        trips, _, moved, ended, _ = after
        found: list[Value] = []
        for k, (place, start) in enumerate(zip(made.plan, made.before, strict=True)):
            value: Value = UNBOUND
            if place.kind == "array":
                value = perhaps(start, place.by, moved[made.moving.index(k)])
            elif place.kind == "same":
                value = start
            elif place.kind == "int":
                value = self.number_after(made, polynomial(start) + polynomial(place.by) * symbol(made.name), trips)
            elif k in made.ends:
                value = ended[made.ends.index(k)]
            elif made.certain and is_whole(made.noted[k]):
                last = polynomial(made.noted[k]).replaced(made.name, symbol(made.name) - 1)
                value = self.number_after(made, last, trips)
            found.append(dated(value, made.state.born(k, self.depth)))
        return found

    def number_after(self, made: EndedByData, value: Polynomial, trips: jax.Array) -> Value:
        """A whole number of Python after so many trips, as an array where it has a place in its type."""
        counted = isinstance(made.loop.over, TripSpan)
        if not counted:
            self.integers.most = min(self.integers.most, MOST_TRIPS)
        self.traced.trips[made.name] = trips
        with self.integers.within(made.name, made.most + 1 if counted else number(MOST_TRIPS + 1)):
            found: Value = UNBOUND
            with contextlib.suppress(NotProved):  # nobody may read it: it stays without a value
                found = UnknownNumber(jnp.asarray(self.given(whole(value))))
        del self.traced.trips[made.name]
        return found

    def signal_after(self, made: EndedByData, after: Carry) -> Signal:
        """How the loop ended, where something depends on it: both ways are followed."""
        returns = isinstance(made.dry.returned, jax.Array) or bool(made.dry.returned)
        if not self.leaves(made.dry) or not (returns or made.loop.asks) or not self.asked.of_array(after[1]):
            return None
        if returns and (not made.loop.breaks or self.asked.of_array(after[4][0])):
            return Returned(self.returned(made, after[4][1:]))
        return BREAK


def _of(value: object) -> bool:
    return isinstance(value, UnknownNumber) and value.of_array


def _moves(value: object) -> bool:
    """Whether it is a number of Python that trips may tell otherwise."""
    return isinstance(value, UnknownNumber | SymbolicInt) or type(value) is int
