"""Loops of Python whose number of trips is a symbol: one trip is run, and what it changes becomes what a scan carries."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
from jax import lax

from ..polynomials import NotProved, Polynomial, number, symbol
from ..sizes import Sizes
from .interpreter import BREAK, Interpreter, Returned, Signal
from .numbers_of_trips import is_array, is_whole, polynomial, whole
from .same_values import same_values
from .library import sources
from .values import UNBOUND, Frame, Number, Question, Rows, Span, Stack, Table, Value, Whole, dated, objects

MOST_PEELED = 2
MOST_WINDOW = 4
MOST_PLANS = 12

Slot = tuple[dict[str, Value] | dict[object, Value], object]
Run = Callable[[Value], Signal]
Test = Callable[[], Value]


@dataclass
class Place:
    """How a location goes on from trip to trip: `same`, `int` (moved by `by`), `array` (carried from `by`), or `last`."""

    kind: str
    by: Value = None


@dataclass
class After:
    """A trip's results: the values of the slots, what was added to each list, and whether the loop was left."""

    values: list[Value]
    added: list[tuple[Value, ...]]
    left: Value


@dataclass
class State:
    """The locations that the trips of a loop may change, with their values now."""

    frame: Frame
    slots: list[Slot]
    lists: list[Rows]
    tables: list[Table]
    kept: list[tuple[list[Value] | None, list[Value], Polynomial]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kept = [(rows.added, rows.window, rows.grown) for rows in self.lists]

    def read(self) -> list[Value]:
        return [holder.get(key, UNBOUND) for holder, key in self.slots]  # type: ignore[call-overload]

    def write(self, values: Sequence[Value]) -> None:
        for (holder, key), value in zip(self.slots, values, strict=True):
            holder[key] = value  # type: ignore[index]

    def restore(self) -> None:
        for rows, (added, window, grown) in zip(self.lists, self.kept, strict=True):
            rows.added, rows.window, rows.grown = added, window, grown

    @property
    def tracked(self) -> set[int]:
        return {id(thing) for thing in (*self.lists, *self.tables)}


class MovesLater(NotProved):
    """The first trip leaves a location as it is, a later one does not."""

    def __init__(self, slot: int) -> None:
        super().__init__("what the first trip leaves as it is, a later one changes")
        self.slot = slot


def moving_too(plan: Sequence[Place], before: Sequence[Value], slots: set[int]) -> list[Place]:
    """The plan, these locations carried."""
    return [Place("array", before[k]) if k in slots else place for k, place in enumerate(plan)]


class Trips(Interpreter):
    """An interpreter that follows loops."""

    duties = 0
    rounds = 0

    def __init__(self, sizes: Sizes, module: Mapping[str, object], functions: Mapping[str, ast.FunctionDef]) -> None:
        super().__init__(sizes, module, functions)
        self.heads: dict[int, tuple[bool, ...]] = {}

    def for_loop(self, node: ast.For, frame: Frame) -> Signal:
        def run(item: Value) -> Signal:
            self.assign(node.target, item, frame)
            return self.suite(node.body, frame)

        value = self.value(node.iter, frame)
        over = self.span(value)
        with self.gone_over(value):
            if over is None:
                return self.one_by_one(self.items(value), run)
            return self.rolled(over, run, frame, stored(node))

    @contextlib.contextmanager
    def gone_over(self, value: Value) -> Iterator[None]:
        """Lists, and the values of dicts, that a loop goes over are not to change."""
        held = [x for x in sources(value) if isinstance(x, Rows | Table) and x is not value or isinstance(value, Rows)]
        for thing in held:
            thing.read += 1
        try:
            yield
        finally:
            for thing in held:
                thing.read -= 1

    def one_by_one(self, items: Sequence[Value], run: Run) -> Signal:
        for item in items:
            signal = run(item)
            if isinstance(signal, Returned):
                return signal
            if signal == BREAK:
                break
        return None

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: Frame) -> Value:
        if len(node.generators) != 1 or node.generators[0].is_async:
            raise NotProved("a comprehension of several loops")
        (generator,) = node.generators
        value, own = self.value(generator.iter, frame), frozenset(stored(generator))
        made = Rows([], self.depth)
        inner = Frame({"": made}, frame, frame.module, own)

        def run(item: Value) -> Signal:
            self.assign(generator.target, item, inner)
            if all(self.truth(self.value(test, inner)) for test in generator.ifs):
                self.append(made, self.value(node.elt, inner))
            return None

        over = self.span(value)
        with self.gone_over(value):
            if over is None:
                self.one_by_one(self.items(value), run)
            else:
                self.rolled(over, run, inner, own)
        return made

    def while_loop(self, node: ast.While, frame: Frame) -> Signal:
        def run(_: Value) -> Signal:
            return self.suite(node.body, frame)

        def test() -> Value:
            return self.value(node.test, frame)

        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)):
            raise NotProved("a test that binds a name")
        names = stored(node)
        count = self.counted(run, test, frame, names)
        if count is not None:
            return self.rolled(Span(count, lambda _: None), run, frame, names)
        return self.until(None, test, run, frame, names)

    def state(self, frame: Frame, names: Sequence[str] | frozenset[str]) -> State:
        """Names that the loop binds, the values of dicts and the lists that names hold."""
        lists: list[Rows] = []
        tables: list[Table] = []
        seen: set[int] = set()

        def walk(value: Value) -> None:
            if id(value) in seen:
                return
            if isinstance(value, Rows):
                seen.add(id(value))
                lists.append(value)
                for part in value.parts:
                    walk(part)
            elif isinstance(value, Table):
                seen.add(id(value))
                tables.append(value)
                for part in value.items.values():
                    walk(part)
            elif isinstance(value, tuple):
                for part in value:
                    walk(part)

        holder: Frame | None = frame
        while holder is not None:
            for value in list(holder.names.values()):
                walk(value)
            holder = holder.outer
        lists, tables = [x for x in lists if x.born >= 0], [x for x in tables if x.born >= 0]
        slots: list[Slot] = [(frame.names, name) for name in sorted(names)]
        return State(frame, slots + [(t.items, key) for t in tables for key in t.items], lists, tables)

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
            with self.within(state):
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
        return After(found[:count], added, left.array if isinstance(left, Number) else left)

    def own_objects(self, state: State, shown: Sequence[Value], values: Sequence[Value]) -> None:
        """Require that the lists and dicts that a trip leaves are its own, and that each is left in one place."""
        left = [x for v, b in zip(values, shown, strict=True) if v is not b for x in objects(v)]
        left += [x for rows in state.lists for v in rows.added or () for x in objects(v)]
        outside = state.tracked | {id(x) for value in shown for x in objects(value)}
        if len({id(x) for x in left} - outside) < len(left):
            raise NotProved("two names of one object that each trip makes")

    @contextlib.contextmanager
    def within(self, state: State) -> Iterator[None]:
        self.depth += 1
        self.tracked.append(state.tracked)
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

    def rolled(self, over: Span, run: Run, frame: Frame, names: Sequence[str] | frozenset[str]) -> Signal:
        """A loop of as many trips as the span has."""
        base = 0
        while True:
            if over.count.constant is not None and over.count.constant <= base:
                return None
            state = self.state(frame, names)
            before, windows = state.read(), self.windows(state)
            planned = self.planned(state, before, windows, lambda: run(over.item(number(base))))
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
                self.scan(state, moving_too(plan, before, moved), dry, over, base, run)
            except MovesLater as error:
                state.write(before)
                state.restore()
                if error.slot in moved or not arrays(before[error.slot]):
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

    dry: After

    def planned(
        self, state: State, before: Sequence[Value], windows: Sequence[list[Value]], run: Callable[[], Signal]
    ) -> list[Place] | After:
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
                return first
            finally:
                state.write(before)
                state.restore()
            first = first or after
            plan = [
                Place("last") if k in last else self.place(b, a)
                for k, (b, a) in enumerate(zip(before, after.values, strict=True))
            ]
            unlike = next((k for k, place in enumerate(plan) if place is None), None)
            if unlike is None:
                self.dry = after
                return [place for place in plan if place is not None]
            if unlike >= len(state.slots) or not isinstance(state.slots[unlike][1], str):
                return first
            last.add(unlike)
        raise NotProved("a loop whose locations could not be told apart")

    def place(self, before: Value, after: Value) -> Place | None:
        """None: it is of another kind after the trip than before it."""
        if after is before or (isinstance(after, str | bool | float | int) and type(after) is type(before) and repr(after) == repr(before)):
            return Place("same")
        if before is UNBOUND:
            return Place("last")
        if is_whole(before) and is_whole(after):
            return Place("int", whole(polynomial(after) - polynomial(before)))
        start = started(before, after)
        return Place("array", start) if start is not UNBOUND else None

    def scan(self, state: State, plan: list[Place], dry: After, over: Span, base: int, run: Run) -> None:
        before, windows = state.read(), self.windows(state)
        count, name = over.count - base, self.trip_name()
        self.same_start(state, plan, before, windows, dry, lambda: run(over.item(number(base))))
        grows = [len(added) for added in dry.added]
        for rows, grow, (added, _, _) in zip(state.lists, grows, state.kept, strict=True):
            if grow and added is not None:
                raise NotProved("a list that an inner loop fills")
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
            recent = [
                ([*window, *added][-len(window) :] if window and added else list(window))
                for window, added in zip(carry[2], after.added, strict=True)
            ]
            given = [after.values[k] if arrays(after.values[k]) else None for k in ends]
            if not all(arrays(item) and not isinstance(item, Rows) for added in after.added for item in added):
                raise NotProved("a list of what is no array")
            return (carry[0] + 1, [after.values[k] for k in moving], recent), (given, after.added)  # type: ignore[operator]

        shown_windows = [w if grow else [] for w, grow in zip(windows, grows, strict=True)]
        first = jax.tree_util.tree_map(jnp.asarray, ([plan[k].by for k in moving], shown_windows))
        with self.integers.within(name, count):
            over_trips = jnp.arange(self.given(whole(count)))  # type: ignore[arg-type]
            (_, moved, _), (given, added) = lax.scan(step, (0, *first), over_trips)
            state.write(before)
            state.restore()
        some = self.integers.at_least_zero(count - 1)
        for k, place in enumerate(plan):
            if place.kind == "array":
                after = moved[moving.index(k)]
                before[k] = dated(after if some else self.perhaps(before[k], place.by, after), self.depth)
            elif place.kind == "int":
                before[k] = whole(polynomial(before[k]) + polynomial(place.by) * count)
            elif place.kind == "last":
                before[k] = self.at_end(noted[k], given[ends.index(k)], name, count) if some else UNBOUND
        state.write(before)
        for rows, grow, items in zip(state.lists, grows, added, strict=True):
            if grow and rows.front:
                rows.parts.insert(0, Stack(count, jax.tree_util.tree_map(lambda a: a[::-1], items[0])))
            elif grow:
                rows.parts.append(Stack(count * grow, items[0] if grow == 1 else interleaved(items)))
            rows.front = False
        self.traced.trips.pop(name, None)

    def perhaps(self, before: Value, start: Value, after: Value) -> Value:
        """What is carried, after a loop that may have made no trip: a number of Python may still be one."""
        if start is before or isinstance(after, Number):
            return after
        if not isinstance(before, bool | int | float) or not isinstance(after, jax.Array):
            return UNBOUND
        return Number(after) if after.dtype == jnp.asarray(before).dtype else UNBOUND

    def at_end(self, noted: Value, given: Value, name: str, count: Polynomial) -> Value:
        """What is bound on the last trip."""
        if given is not None:
            return dated(jax.tree_util.tree_map(lambda a: a[-1], given), self.depth)
        if isinstance(noted, Whole):
            hidden = any(name in self.integers.free(symbol(s)) for s in noted.value.symbols if s != name)
            return UNBOUND if hidden else whole(noted.value.replaced(name, count - 1))
        return noted if isinstance(noted, bool | int | float | str | None) else UNBOUND

    def shown(self, plan: Sequence[Place], before: Sequence[Value], moved: Sequence[Value], trip: Polynomial) -> list[Value]:
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

    def goes_on(self, plan: Sequence[Place], before: Sequence[Value], after: After, trip: Polynomial) -> None:
        """Require that a trip does to each location what the first one did."""
        for k, (place, start, value) in enumerate(zip(plan, before, after.values, strict=True)):
            if place.kind == "same" and self.place(start, value) != Place("same"):
                raise MovesLater(k)
            if place.kind == "int":
                due = polynomial(start) + polynomial(place.by) * (trip + 1)
                if not is_whole(value) or polynomial(value) != due:
                    raise NotProved("a whole number that each trip moves otherwise")

    def same_start(
        self,
        state: State,
        plan: Sequence[Place],
        before: Sequence[Value],
        windows: Sequence[list[Value]],
        dry: After,
        run: Callable[[], Signal],
    ) -> None:
        """Require that the first trip gives the same where a number of Python is an array at the start."""
        cast = [k for k, place in enumerate(plan) if place.kind == "array" and place.by is not before[k]]
        if not cast:
            return
        shown = [UNBOUND if p.kind == "last" else p.by if p.kind == "array" else b for p, b in zip(plan, before, strict=True)]
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

    def until(
        self, over: Span | None, test: Test | None, run: Run, frame: Frame, names: Sequence[str] | frozenset[str]
    ) -> Signal:
        """A loop that data end."""
        state, name = self.state(frame, names), self.trip_name()
        before, windows = state.read(), self.windows(state)
        item = over.item if over is not None else lambda _: None
        planned = self.planned(state, before, windows, lambda: run(item(number(0))))
        if not isinstance(planned, list):
            raise NotProved("a first trip that is unlike the others")
        plan, dry = planned, self.dry
        if any(dry.added):
            raise NotProved("a list that grows until data end the loop")
        self.same_start(state, plan, before, windows, dry, lambda: run(item(number(0))))
        moving = [k for k, place in enumerate(plan) if place.kind == "array"]
        spent = self.leaves(dry)
        Carry = tuple[object, object, list[Value]]

        def entered(carry: Carry) -> list[Value]:
            self.traced.trips[name] = carry[0]  # type: ignore[assignment]
            return self.shown(plan, before, carry[2], symbol(name))

        def goes_on(carry: Carry) -> object:
            shown = entered(carry)

            def asked() -> list[Value]:
                state.write(shown)
                assert test is not None
                return [jnp.asarray(self.given(self.truth(test())))]

            holds: object = jnp.asarray(True)  # noqa: FBT003
            if test is not None:
                (holds,) = self.asked.explored(asked)
            elif over is not None:
                holds = carry[0] < self.given(whole(over.count))  # type: ignore[operator]
            return jnp.logical_and(holds, jnp.logical_not(carry[1])) if spent else holds  # type: ignore[arg-type]

        def again(carry: Carry) -> Carry:
            after = self.trip(state, entered(carry), windows, lambda: run(item(symbol(name))))
            self.goes_on(plan, before, after, symbol(name))
            if any(after.added):
                raise NotProved("a list that grows until data end the loop")
            return carry[0] + 1, jnp.asarray(after.left), [after.values[k] for k in moving]  # type: ignore[operator]

        most = over.count if over is not None else number(2**31 - 1)
        with self.integers.within(name, most):
            first = jax.tree_util.tree_map(jnp.asarray, [plan[k].by for k in moving])
            _, _, moved = lax.while_loop(goes_on, again, (0, jnp.asarray(False), first))  # noqa: FBT003
        state.write(before)
        state.restore()
        for k, place in enumerate(plan):
            if place.kind == "array":
                before[k] = dated(self.perhaps(before[k], place.by, moved[moving.index(k)]), self.depth)
            elif place.kind != "same":
                before[k] = UNBOUND
        state.write(before)
        self.traced.trips.pop(name, None)
        return None

    def counted(self, run: Run, test: Test, frame: Frame, names: Sequence[str] | frozenset[str]) -> Polynomial | None:
        """The number of trips of a `while` that whole numbers of Python alone decide; None where data do."""
        state, name = self.state(frame, names), self.trip_name()
        before, windows = state.read(), self.windows(state)
        if not isinstance(planned := self.planned(state, before, windows, lambda: run(None)), list):
            return None
        moved = [b if p.kind != "int" else whole(polynomial(b) + polynomial(p.by) * symbol(name)) for p, b in zip(planned, before, strict=True)]
        with self.integers.within(name, number(2**31)):
            try:
                asked = self.asked.alone(lambda: state.write(moved), test)
            finally:
                state.write(before)
        if not isinstance(asked, Question):
            return None
        by_trip = asked.value.by_power(name)
        start, step = by_trip.get(0, number(0)), by_trip.get(1, number(0)).constant
        if max(by_trip) > 1 or not step or any(name in self.integers.free(symbol(s)) for s in asked.value.symbols if s != name):
            return None
        return self.trips_of(asked, start, step)

    def trips_of(self, asked: Question, start: Polynomial, step: int) -> Polynomial:
        """How often `start + step * trip` answers the question with yes, from the first trip on."""
        if not asked.below:
            if not asked.negated or abs(step) != 1:
                raise NotProved("a `while` that counts in another way")
            count = -start if step == 1 else start
        elif not asked.negated and step > 0:
            count = self.integers.divided(-start + step - 1, step)[0]
        elif asked.negated and step < 0:
            count = self.integers.divided(start, -step)[0] + 1
        else:
            raise NotProved("a `while` that counts in another way")
        if not self.integers.at_least_zero(count):
            raise NotProved("a number of trips that may be negative")
        return count

    def trip_name(self) -> str:
        self.rounds += 1
        return f"r{self.rounds:06d}"


def stored(node: ast.AST) -> frozenset[str]:
    """The names that a loop binds."""
    found: set[str] = set()
    todo: list[ast.AST] = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.FunctionDef):
            found.add(part.name)
        elif isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            found.add(part.id)
        inner = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
        if not isinstance(part, inner):
            todo += ast.iter_child_nodes(part)
    return frozenset(found)


def arrays(value: Value) -> bool:
    """Whether all leaves of a structure are arrays, and there is one."""
    if isinstance(value, Whole | Question | Span) or value is UNBOUND:
        return False
    if any(isinstance(x, Rows) and x.plain is None for x in objects(value)):
        return False
    leaves = jax.tree_util.tree_leaves(value)
    return bool(leaves) and all(isinstance(x, jax.Array) for x in leaves)


def carried(value: Value) -> bool:
    return arrays(value) and not any(True for _ in objects(value))


def started(before: Value, after: Value) -> Value:
    """What a carry starts from: `before`, its numbers of Python as arrays of the types after the trip; else UNBOUND."""
    if not arrays(after) or isinstance(before, Question | Span):
        return UNBOUND
    if isinstance(before, Whole):
        return UNBOUND
    if isinstance(before, bool | int | float) and isinstance(after, Number):
        start = jnp.asarray(before)
        return Number(start) if (start.dtype, start.weak_type) == (after.array.dtype, after.array.weak_type) else UNBOUND
    (ones, form), (others, other) = jax.tree_util.tree_flatten(before), jax.tree_util.tree_flatten(after)
    if form != other:
        return UNBOUND
    made, same = [], True
    for one, later in zip(ones, others, strict=True):
        number_of_python = isinstance(one, bool | int | float)
        if not number_of_python and not isinstance(one, jax.Array):
            return UNBOUND
        if not number_of_python and one.shape == later.shape and one.dtype == later.dtype and one.weak_type == later.weak_type:
            made.append(one)
            continue
        if (number_of_python and later.shape) or (not number_of_python and (one.shape != later.shape or not one.weak_type)):
            return UNBOUND
        same = False
        made.append(lax.convert_element_type(jnp.asarray(one), later.dtype))
    return before if same else jax.tree_util.tree_unflatten(form, made)


def interleaved(items: tuple[Value, ...]) -> Value:
    """What several items per trip are as one stack."""

    def joined(*parts: jax.Array) -> jax.Array:
        found = jnp.stack(parts, 1)
        return found.reshape((found.shape[0] * found.shape[1], *found.shape[2:]))

    return jax.tree_util.tree_map(joined, *items)
