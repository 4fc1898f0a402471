"""One trip of a loop: what it does to each location, and how the loop goes on."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import cast

import jax
import jax.numpy as jnp

from ...polynomials import NotProved, Polynomial, number
from ..doubles import Double
from ..numbers_of_trips import is_whole, polynomial, whole
from ..python_interpreter import PythonInterpreter
from ..python_values import (
    BREAK,
    NO_RESULT,
    PLAIN,
    UNBOUND,
    Blank,
    Grown,
    Returned,
    Signal,
    Stack,
    SymbolicInt,
    UnknownNumber,
    Value,
    dated,
    equal,
    objects,
)
from ..same_values import same_values
from .loop_state import (
    After,
    MovesLater,
    Onward,
    PythonLoop,
    State,
    Test,
    alike,
    carried,
    grows,
    let_go,
    remaining,
    started,
)

MOST_WINDOW = 4
MOST_PLANS = 12


class OneTrip(PythonInterpreter):
    """One trip of a loop, and the loop that goes on like it."""

    duties = 0
    rounds = 0
    dry: After

    def trip(
        self,
        state: State,
        shown: Sequence[Value],
        windows: Sequence[list[Value]],
        run: Callable[[], Signal],
        grown: Sequence[Polynomial] = (),
    ) -> After:
        """One trip from the values shown, along all paths; `grown` is how much the trips before it have added."""
        before = grown or [number(0)] * len(state.lists)
        count, keys = len(state.slots), [(t, list(t.items)) for t in state.tables]

        def once() -> list[Value]:
            state.write([dated(value, state.born(k, self.depth + 1)) for k, value in enumerate(shown)])
            state.begin(windows, before)
            outer, self.moved = self.moved, 0
            with self.within(state.tracked):
                signal = run()
            self.moved = outer
            if any(list(t.items) != known for t, known in keys):
                raise NotProved("a dict gets other keys")
            values = state.read()
            result = signal.value if isinstance(signal, Returned) else NO_RESULT
            self.own_objects(state, shown, values, result)
            heads = tuple(rows.front for rows in state.lists)
            if state.heads not in (None, heads):
                raise NotProved("a list that is filled at its head on some trips")
            state.heads = heads
            ended = isinstance(signal, Returned)
            return [
                *values,
                *(tuple(rows.added or ()) for rows in state.lists),
                ended or signal == BREAK,
                ended,
                result,
            ]

        *found, left, returned, result = self.asked.explored(once)
        left, returned = (x.array if isinstance(x, UnknownNumber) else x for x in (left, returned))
        added = [x if isinstance(x, tuple) else () for x in found[count:]]
        return After(found[:count], added, left, returned, result)

    def own_objects(self, state: State, shown: Sequence[Value], values: Sequence[Value], result: Value) -> None:
        """Require that the lists and dicts that a trip leaves are its own; one that is left twice is not to change."""
        left = [(k, x) for k, (v, b) in enumerate(zip(values, shown, strict=True)) if v is not b for x in objects(v)]
        left += [(-1, x) for rows in state.lists for v in rows.added or () for x in objects(v)]
        outside = state.tracked | {id(x) for value in shown for x in objects(value)}
        if any(id(x) in outside for _, x in left) or any(True for _ in objects(result)):
            raise NotProved("two names of one object that each trip makes")
        twice = {key for key, times in Counter(id(x) for _, x in left).items() if times > 1}
        shared = frozenset(k for k, x in left if id(x) in twice)
        if state.shared not in (None, shared):
            raise NotProved("two names of one object that some trips make")
        state.shared = shared

    @contextlib.contextmanager
    def within(self, tracked: set[int]) -> Iterator[None]:
        """A trip, or a test before it, which may change these objects alone."""
        self.depth += 1
        self.tracked.append(tracked)
        try:
            yield
        finally:
            self.tracked.pop()
            self.depth -= 1

    def windows(self, state: State) -> list[list[Value]]:
        """The last items of each list, as far as each is known by itself."""
        found = []
        for rows in state.lists:
            known = [*rows.window, *rows.added] if rows.added is not None else list(rows.parts)
            known = [part for part in known if not isinstance(part, Blank)]
            last: list[Value] = []
            for part in reversed(known[-MOST_WINDOW:]):
                plain = isinstance(part, int | float | SymbolicInt) and not isinstance(part, bool)
                if isinstance(part, Stack) or not (plain or carried(part)):
                    break
                last.insert(0, part)
            found.append(last)
        return found

    def leaves(self, after: After) -> bool:
        """Whether a trip may leave the loop."""
        return isinstance(after.left, jax.core.Tracer) or bool(after.left)

    def finish(self, state: State, after: After) -> None:
        """Take over what a trip, which is run by itself, has done."""
        state.restore()
        state.write(after.values)
        if self.leaves(after):
            raise NotProved("a first trip that may leave the loop")
        for rows, added in zip(state.lists, after.added, strict=True):
            if (rows.front or rows.blank is not None) and added:
                raise NotProved("a first trip that fills a list otherwise")
            (rows.parts if rows.added is None else rows.added).extend(added)

    def planned(
        self, state: State, before: Sequence[Value], windows: Sequence[list[Value]], run: Callable[[], Signal]
    ) -> list[Onward] | After:
        """How each location goes on; or the results of the first trip, which has to be run by itself."""
        last, grown = set[int](), set[int]()
        first: After | None = None
        for _ in range(MOST_PLANS):
            shown = [UNBOUND if k in last else Grown(k) if k in grown else b for k, b in enumerate(before)]
            try:
                after = self.trip(state, shown, windows, run)
            except NotProved:
                if first is None:
                    raise
                return first  # the first trip is run by itself
            finally:
                state.write(before)
                state.restore()
            first = first or after
            plan = [
                Onward("last") if k in last else self.joins(k, b, a) if k in grown else self.place(b, a)
                for k, (b, a) in enumerate(zip(before, after.values, strict=True))
            ]
            unlike = next((k for k, place in enumerate(plan) if place is None), None)
            if unlike is None:
                self.dry, known = after, [place for place in plan if place is not None]
                let_go(state, known, before, after)
                return known
            if unlike not in grown and grows(before[unlike], after.values[unlike]):
                grown.add(unlike)
                continue
            if unlike >= len(state.slots) or not isinstance(state.slots[unlike][1], str):
                return first
            last.add(unlike)
        raise NotProved("a loop whose locations could not be told apart")

    def joins(self, slot: int, before: Value, after: Value) -> Onward | None:
        """Rows are joined to an array, of its own type."""
        if not isinstance(before, jax.Array) or not isinstance(after, Grown) or after.slot != slot or before.weak_type:
            return None
        alike = all(x.shape[1:] == before.shape[1:] and x.dtype == before.dtype for x in after.added)
        return Onward("grown", tuple(x.shape[0] for x in after.added)) if alike and after.added else None

    def place(self, before: Value, after: Value) -> Onward | None:
        """None: it is of another kind after the trip than before it."""
        if after is before or (
            isinstance(after, str | bool | float | int) and type(after) is type(before) and repr(after) == repr(before)
        ):
            return Onward("same")
        if before is UNBOUND:
            return Onward("last")
        if is_whole(before) and is_whole(after):
            return Onward("int", whole(polynomial(after) - polynomial(before)))
        start = started(before, after)
        return Onward("array", start) if start is not UNBOUND else None

    def shown(
        self, plan: Sequence[Onward], before: Sequence[Value], moved: Sequence[Value], trip: Polynomial
    ) -> list[Value]:
        """The locations before a trip."""
        left = iter(moved)
        found: list[Value] = []
        for place, start in zip(plan, before, strict=True):
            if place.kind == "array":
                found.append(next(left))
            elif place.kind == "last":
                found.append(UNBOUND)
            elif place.kind == "grown":
                found.append(Grown(len(found)))
            elif place.kind == "int":
                found.append(whole(polynomial(start) + polynomial(place.by) * trip))
            else:
                found.append(start)
        return found

    def goes_on(self, plan: Sequence[Onward], before: Sequence[Value], after: After, trip: Polynomial) -> None:
        """Require that a trip does to each location what the first one did."""
        for k, (place, start, value) in enumerate(zip(plan, before, after.values, strict=True)):
            if place.kind == "same" and self.place(start, value) != Onward("same"):
                raise MovesLater(before, k)
            if place.kind == "grown" and self.joins(k, start, value) != place:
                raise NotProved("an array that grows otherwise on some trips")
            if place.kind == "int":
                due = polynomial(start) + polynomial(place.by) * (trip + 1)
                if not is_whole(value) or polynomial(value) != due:
                    raise NotProved("a whole number that each trip moves otherwise")

    def same_start(
        self,
        state: State,
        plan: Sequence[Onward],
        before: Sequence[Value],
        windows: Sequence[list[Value]],
        loop: PythonLoop,
        begun: tuple[Sequence[list[Value]], Sequence[list[Value]]] = ((), ()),
        *,
        several: bool = False,
    ) -> None:
        """Require that the first trip, and the test before it, give the same where a number of Python is an array.

        `begun`: the last items of lists, and what is carried in the place of each; `several`: a later trip is certain.
        """
        moved = [k for k, place in enumerate(plan) if place.kind == "array" and place.by is not before[k]]
        other = [k for k, (known, start) in enumerate(zip(*begun, strict=True)) if known is not start]
        if not moved and not other:
            return
        own = [UNBOUND if place.kind == "last" else b for place, b in zip(plan, before, strict=True)]
        shown = [place.by if place.kind == "array" else b for place, b in zip(plan, own, strict=True)]
        dry, items = self.dry, [begun[1][k] if k in other else window for k, window in enumerate(windows)]
        self.required_same(self.test_of(loop.test, state, own), self.test_of(loop.test, state, shown))
        after = self.trip(state, shown, items, functools.partial(loop.trip, number(0)))
        state.write(before)
        state.restore()
        for place, one, another in zip(plan, dry.values, after.values, strict=True):
            remains = place.kind == "last" and not several and (remaining(one) or remaining(another))
            if place.kind == "array" or remains:
                self.required_same(one, another)
        self.required_same((dry.added, dry.result), (after.added, after.result))
        self.required_same(*([jnp.asarray(x) for x in (trip.left, trip.returned)] for trip in (dry, after)))

    def test_of(self, test: Test | None, state: State, shown: Sequence[Value]) -> jax.Array:
        """Whether a `while` goes on where its locations are these."""

        def asked() -> list[Value]:
            state.write(shown)
            return [jnp.asarray(test is None or self.truth(test()))]

        return cast("jax.Array", self.asked.explored(asked)[0])

    def required_same(self, one: Value, other: Value) -> None:
        """Require that two structures have the same numbers of Python, and arrays of the same types and values."""
        (ones, form), (others, form_of_other) = map(jax.tree_util.tree_flatten, (one, other))
        if not equal(form, form_of_other):
            raise NotProved("a number of Python is carried that the first trip takes otherwise")
        for a, b in zip(ones, others, strict=True):
            if a is b or (isinstance(a, (*PLAIN, SymbolicInt, Double)) and type(a) is type(b) and repr(a) == repr(b)):
                continue
            if not isinstance(a, jax.Array) or not alike(a, b):
                raise NotProved("a number of Python is carried that the first trip takes otherwise")
            self.duties += 1
            same_values(a, b)

    def unknown(self, item: Value) -> Value:
        """An item that a loop adds to a list: a float of Python is one of those of which nothing is known there."""
        return UnknownNumber(cast("jax.Array", self.given(item))) if isinstance(item, Double) else item

    def trip_name(self) -> str:
        self.rounds += 1
        return f"r{self.rounds:06d}"
