"""Loops of Python: over what they go, or until what they are run."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence

import jax
import jax.numpy as jnp
from jax import lax

from ..polynomials import NotProved, Polynomial, number, symbol
from .loop_state import (
    Run,
    State,
    Test,
    perhaps_run,
    state_of,
    stored,
)
from .numbers_of_trips import polynomial, whole
from .python_values import (
    BREAK,
    ListRows,
    NameFrame,
    Question,
    Returned,
    Signal,
    TripSpan,
    Value,
    sources,
)
from .rolled import Rolled


class Trips(Rolled):
    """An interpreter that follows loops."""

    def for_loop(self, node: ast.For, frame: NameFrame) -> Signal:
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
        held = [x for x in sources(value) if x is not value or isinstance(value, ListRows)]
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

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: NameFrame) -> Value:
        if len(node.generators) != 1 or node.generators[0].is_async:
            raise NotProved("a comprehension of several loops")
        (generator,) = node.generators
        value, own = self.value(generator.iter, frame), frozenset(stored(generator))
        made = ListRows([], self.depth)
        inner = NameFrame({"": made}, frame, frame.module, own)

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

    def while_loop(self, node: ast.While, frame: NameFrame) -> Signal:
        def run(_: Value) -> Signal:
            return self.suite(node.body, frame)

        def test() -> Value:
            with self.within(set()):
                return self.value(node.test, frame)

        if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)):
            raise NotProved("a test that binds a name")
        names = stored(node)
        count = self.counted(run, test, frame, names)
        if count is not None:
            return self.rolled(TripSpan(count, lambda _: None), run, frame, names)
        return self.until(None, test, run, frame, names)

    def until(
        self,
        over: TripSpan | None,
        test: Test | None,
        run: Run,
        frame: NameFrame,
        names: Sequence[str] | frozenset[str],
    ) -> Signal:
        """A loop that data end."""
        state, name = state_of(frame, names), self.trip_name()
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
            if over is not None:
                holds: object = carry[0] < self.given(whole(over.count))  # type: ignore[operator]
            else:
                holds = self.holds(state, shown, test)
            return jnp.logical_and(holds, jnp.logical_not(carry[1])) if spent else holds  # type: ignore[arg-type]

        def again(carry: Carry) -> Carry:
            after = self.trip(state, entered(carry), windows, lambda: run(item(symbol(name))))
            self.goes_on(plan, before, after, symbol(name))
            if any(after.added) or (self.leaves(after) and not spent):
                raise NotProved("a later trip does what the first one does not")
            return carry[0] + 1, jnp.asarray(after.left), [after.values[k] for k in moving]  # type: ignore[operator]

        most = over.count if over is not None else number(2**31 - 1)
        with self.integers.within(name, most):
            first = jax.tree_util.tree_map(jnp.asarray, [plan[k].by for k in moving])
            _, _, moved = lax.while_loop(goes_on, again, (0, jnp.asarray(False), first))  # type: ignore[arg-type]
        state.write(perhaps_run(plan, before, moved, self.depth))
        state.restore()
        self.traced.trips.pop(name, None)
        return None

    def holds(self, state: State, shown: Sequence[Value], test: Test | None) -> object:
        """Whether the loop goes on where its locations are these."""

        def asked() -> list[Value]:
            state.write(shown)
            return [jnp.asarray(True if test is None else self.given(self.truth(test())))]

        return self.asked.explored(asked)[0]

    def counted(
        self, run: Run, test: Test, frame: NameFrame, names: Sequence[str] | frozenset[str]
    ) -> Polynomial | None:
        """The number of trips of a `while` that whole numbers of Python alone decide; None where data do."""
        state, name = state_of(frame, names), self.trip_name()
        before, windows = state.read(), self.windows(state)
        if not isinstance(planned := self.planned(state, before, windows, lambda: run(None)), list):
            return None
        moved = [
            b if p.kind != "int" else whole(polynomial(b) + polynomial(p.by) * symbol(name))
            for p, b in zip(planned, before, strict=True)
        ]
        with self.integers.within(name, number(2**31)):
            try:
                asked = self.asked.alone(lambda: state.write(moved), test)
            finally:
                state.write(before)
        if not isinstance(asked, Question):
            return None
        by_trip = asked.value.by_power(name)
        start, step = by_trip.get(0, number(0)), by_trip.get(1, number(0)).constant
        if (
            max(by_trip) > 1
            or not step
            or any(name in self.integers.free(symbol(s)) for s in asked.value.symbols if s != name)
        ):
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
