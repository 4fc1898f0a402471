"""Loops whose number of trips is known as a polynomial: one trip is run, and becomes the step of a scan."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

import jax
import jax.numpy as jnp
from jax import lax

from ..polynomials import NotProved, Polynomial, number, symbol
from ..sizes import SymbolicSizes
from .doubles import Double
from .loop_state import (
    After,
    MovesLater,
    Onward,
    Run,
    State,
    Test,
    arrays,
    carried,
    fill,
    growing,
    later,
    let_go,
    moving_too,
    perhaps,
    started,
    state_of,
)
from .numbers_of_trips import is_array, is_whole, polynomial, whole
from .python_interpreter import PythonInterpreter
from .python_values import (
    BREAK,
    UNBOUND,
    ListRows,
    NameFrame,
    Returned,
    Signal,
    Stack,
    SymbolicInt,
    TripSpan,
    UnknownNumber,
    Value,
    dated,
    objects,
)
from .same_values import same_values

MOST_PEELED = 2
MOST_WINDOW = 4
MOST_PLANS = 12


class Rolled(PythonInterpreter):
    """One trip of a loop, and the loop that goes on like it."""

    def until(
        self,
        over: TripSpan | None,
        test: Test | None,
        run: Run,
        frame: NameFrame,
        names: Sequence[str] | frozenset[str],
    ) -> Signal:
        raise NotImplementedError

    duties = 0
    rounds = 0
    dry: After

    def __init__(
        self, sizes: SymbolicSizes, module: Mapping[str, object], functions: Mapping[str, ast.FunctionDef]
    ) -> None:
        super().__init__(sizes, module, functions)
        self.heads: dict[int, tuple[bool, ...]] = {}

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
            state.write([dated(value, self.depth + 1) for value in shown])
            for rows, window, (added, _, earlier), more in zip(state.lists, windows, state.kept, before, strict=True):
                rows.front = rows.looked = False
                rows.added, rows.window, rows.grown = [], list(window), earlier + len(added or ()) + more
            with self.within(state.tracked):
                signal = run()
            if isinstance(signal, Returned):
                raise NotProved("a loop that a `return` leaves")
            if any(list(t.items) != known for t, known in keys):
                raise NotProved("a dict gets other keys")
            values = state.read()
            self.own_objects(state, shown, values)
            heads = tuple(rows.front for rows in state.lists)
            if self.heads.setdefault(id(state), heads) != heads:
                raise NotProved("a list that is filled at its head on some trips")
            return [*values, *(tuple(rows.added or ()) for rows in state.lists), signal == BREAK]

        found = self.asked.explored(once)
        added = [x if isinstance(x, tuple) else () for x in found[count:-1]]
        left = found[-1]
        return After(found[:count], added, left.array if isinstance(left, UnknownNumber) else left)

    def own_objects(self, state: State, shown: Sequence[Value], values: Sequence[Value]) -> None:
        """Require that the lists and dicts that a trip leaves are its own, and that each is left in one place."""
        left = [x for v, b in zip(values, shown, strict=True) if v is not b for x in objects(v)]
        left += [x for rows in state.lists for v in rows.added or () for x in objects(v)]
        outside = state.tracked | {id(x) for value in shown for x in objects(value)}
        if len({id(x) for x in left} - outside) < len(left):
            raise NotProved("two names of one object that each trip makes")

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
            last: list[Value] = []
            for part in reversed(known[-MOST_WINDOW:]):
                if isinstance(part, Stack) or not carried(part):
                    break
                last.insert(0, part)
            found.append(last)
        return found

    def rolled(self, over: TripSpan, run: Run, frame: NameFrame, names: Sequence[str] | frozenset[str]) -> Signal:
        """A loop of as many trips as the span has."""
        if self.reverse:
            raise NotProved("a loop of Python in what is differentiated: a scan adds gradients in another order")

        def item_run(at: Polynomial) -> Signal:
            return run(over.item(at))

        base = 0
        while True:
            if over.count.constant is not None and over.count.constant <= base:
                return None
            state = state_of(frame, names)
            before, windows = state.read(), self.windows(state)
            planned = self.planned(state, before, windows, functools.partial(item_run, number(base)))
            if isinstance(planned, list):
                break
            if base == MOST_PEELED or not self.integers.at_least_zero(over.count - base - 1):
                raise NotProved("a first trip that is unlike the others")
            self.finish(state, planned)
            base += 1
        plan, dry = planned, self.dry
        if self.leaves(dry):
            return self.until(over, None, run, frame, names)
        moved: set[int] = set()
        while True:
            try:
                self.scan(state, before, moving_too(plan, before, moved), dry, over, base, run)
            except MovesLater as error:
                state.write(before)
                state.restore()
                if error.before is not before or error.slot in moved or not arrays(before[error.slot]):
                    raise
                moved.add(error.slot)
            else:
                return None

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
            if rows.front and added:
                raise NotProved("a first trip that fills a list at its head")
            (rows.parts if rows.added is None else rows.added).extend(added)

    def planned(
        self, state: State, before: Sequence[Value], windows: Sequence[list[Value]], run: Callable[[], Signal]
    ) -> list[Onward] | After:
        """How each location goes on; or the results of the first trip, which has to be run by itself."""
        last: set[int] = set()
        first: After | None = None
        for _ in range(MOST_PLANS):
            shown = [UNBOUND if k in last else b for k, b in enumerate(before)]
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
                Onward("last") if k in last else self.place(b, a)
                for k, (b, a) in enumerate(zip(before, after.values, strict=True))
            ]
            unlike = next((k for k, place in enumerate(plan) if place is None), None)
            if unlike is None:
                self.dry, known = after, [place for place in plan if place is not None]
                let_go(state, known, before, after)
                return known
            if unlike >= len(state.slots) or not isinstance(state.slots[unlike][1], str):
                return first
            last.add(unlike)
        raise NotProved("a loop whose locations could not be told apart")

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

    def at_end(self, noted: Value, given: Value, name: str, count: Polynomial) -> Value:
        """What is bound on the last trip."""
        if given is not None:
            return dated(jax.tree_util.tree_map(lambda a: a[-1], given), self.depth)
        if isinstance(noted, SymbolicInt):
            hidden = any(name in self.integers.free(symbol(s)) for s in noted.value.symbols if s != name)
            return UNBOUND if hidden else whole(noted.value.replaced(name, count - 1))
        return noted if isinstance(noted, bool | int | float | str | None) else UNBOUND

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
        dry: After,
        run: Callable[[], Signal],
    ) -> None:
        """Require that the first trip gives the same where a number of Python is an array at the start."""
        cast = [k for k, place in enumerate(plan) if place.kind == "array" and place.by is not before[k]]
        if not cast:
            return
        shown = [
            UNBOUND if p.kind == "last" else p.by if p.kind == "array" else b for p, b in zip(plan, before, strict=True)
        ]
        after = self.trip(state, shown, windows, run)
        state.write(before)
        state.restore()
        moving = [k for k, place in enumerate(plan) if place.kind == "array"]
        pairs = zip(
            jax.tree_util.tree_leaves(([dry.values[k] for k in moving], dry.added)),
            jax.tree_util.tree_leaves(([after.values[k] for k in moving], after.added)),
            strict=True,
        )
        for one, other in pairs:
            if one is not other:
                if not (is_array(one) and is_array(other)) or one.dtype != other.dtype or one.shape != other.shape:
                    raise NotProved("a number of Python is carried that the first trip takes otherwise")
                self.duties += 1
                same_values(one, other)

    def unknown(self, item: Value) -> Value:
        """An item that a loop adds to a list: a float of Python is one of those of which nothing is known there."""
        return UnknownNumber(cast("jax.Array", self.given(item))) if isinstance(item, Double) else item

    def trip_name(self) -> str:
        self.rounds += 1
        return f"r{self.rounds:06d}"

    def scan(
        self, state: State, before: list[Value], plan: list[Onward], dry: After, over: TripSpan, base: int, run: Run
    ) -> None:
        windows = self.windows(state)
        count, name = over.count - base, self.trip_name()
        if any(free in self.traced.trips for free in self.integers.free(count)):
            raise NotProved("a number of trips that depends on the trip of a loop around")
        self.same_start(state, plan, before, windows, dry, lambda: run(over.item(number(base))))
        grows = growing(state, dry)
        moving = [k for k, place in enumerate(plan) if place.kind == "array"]
        ends = [k for k, place in enumerate(plan) if place.kind == "last"]
        noted: dict[int, Value] = {}
        Carry = tuple[object, list[Value], list[list[Value]]]

        def step(carry: Carry, _: object) -> tuple[Carry, object]:
            self.traced.trips[name] = carry[0]  # type: ignore[assignment]
            shown = self.shown(plan, before, carry[1], symbol(name))
            grown = [symbol(name) * grow for grow in grows]
            after = self.trip(state, shown, carry[2], lambda: run(over.item(symbol(name) + base)), grown)
            self.goes_on(plan, before, after, symbol(name))
            if [len(added) for added in after.added] != grows or self.leaves(after):
                raise NotProved("a list that grows on some trips")
            noted.update({k: after.values[k] for k in ends})
            recent = [later(window, added) for window, added in zip(carry[2], after.added, strict=True)]
            given = [after.values[k] if arrays(after.values[k]) else None for k in ends]
            items = [tuple(self.unknown(x) for x in added) for added in after.added]
            if not all(arrays(item) and not isinstance(item, ListRows) for added in items for item in added):
                raise NotProved("a list of what is no array")
            return (carry[0] + 1, [after.values[k] for k in moving], recent), (given, items)  # type: ignore[operator]

        shown_windows = [w if grow else [] for w, grow in zip(windows, grows, strict=True)]
        first = jax.tree_util.tree_map(jnp.asarray, ([plan[k].by for k in moving], shown_windows))
        with self.integers.within(name, count):
            over_trips = jnp.arange(self.given(whole(count)))  # type: ignore[arg-type,unused-ignore]
            # a length that is a symbol is asked of an array alone
            ended: object = lax.scan(step, (0, *first), over_trips)  # scanlint: ignore[dummy-xs]
            state.write(before)
            state.restore()
        (_, moved, _), (given, added) = cast("tuple[Carry, tuple[list[Value], list[tuple[Value, ...]]]]", ended)
        some = self.integers.at_least_zero(count - 1)
        for k, place in enumerate(plan):
            if place.kind == "array":
                after = moved[moving.index(k)]
                before[k] = dated(after if some else perhaps(before[k], place.by, after), self.depth)
            elif place.kind == "int":
                before[k] = whole(polynomial(before[k]) + polynomial(place.by) * count)
            elif place.kind == "last":
                before[k] = self.at_end(noted[k], given[ends.index(k)], name, count) if some else UNBOUND
        state.write(before)
        fill(state, grows, added, count)
        self.traced.trips.pop(name, None)
