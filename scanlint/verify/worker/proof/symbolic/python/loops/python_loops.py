"""Loops of Python: over what they go, or until what they are run."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator, Sequence

from .....runtime.free_names import bound_names
from ...polynomials import NotProved, Polynomial, number, symbol
from ..numbers_of_trips import is_array
from ..python_interpreter import leaves_by_break
from ..python_values import (
    BREAK,
    UNBOUND,
    DataSpan,
    ListRows,
    NameFrame,
    Question,
    Returned,
    Signal,
    Table,
    TripSpan,
    Value,
    sources,
)
from .data_trips import DataTrips
from .loop_state import PythonLoop, Run, Test, arrays, growing, state_of


class PythonLoops(DataTrips):
    """An interpreter that follows loops."""

    def for_loop(self, node: ast.For, frame: NameFrame) -> Signal:
        def run(item: Value) -> Signal:
            self.assign(node.target, item, frame)
            return self.suite(node.body, frame)

        value = self.value(node.iter, frame)
        over = self.span(value)
        loop = PythonLoop(run, frame, bound_names(node), over, None, bool(node.orelse), leaves_by_break(node))
        if isinstance(value, DataSpan):
            loop.over = value
        with self.gone_over(value), self.run_of(node):
            if loop.over is None:
                return self.one_by_one(self.items(value), run)
            return self.until(loop) if isinstance(value, DataSpan) else self.rolled(loop)

    @contextlib.contextmanager
    def run_of(self, node: ast.AST) -> Iterator[None]:
        outer, self.running = self.running, node
        try:
            yield
        finally:
            self.running = outer

    @contextlib.contextmanager
    def gone_over(self, value: Value) -> Iterator[None]:
        """Lists, and the values of dicts, that a loop goes over are not to change; of a dict itself, the keys."""
        held = [x for x in sources(value) if x is not value or isinstance(value, ListRows)]
        walked = [value] if isinstance(value, Table) else []
        for thing in held:
            thing.read += 1
        for table in walked:
            table.walked += 1
        try:
            yield
        finally:
            for thing in held:
                thing.read -= 1
            for table in walked:
                table.walked -= 1

    def one_by_one(self, items: Sequence[Value], run: Run) -> Signal:
        for item in items:
            signal = run(item)
            if isinstance(signal, Returned) or signal == BREAK:
                return signal
        return None

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp, frame: NameFrame) -> Value:
        made = ListRows([], self.depth)
        self.generated(node.generators, frame, made, lambda inner: self.append(made, self.value(node.elt, inner)))
        return made

    def generated(
        self,
        generators: Sequence[ast.comprehension],
        frame: NameFrame,
        made: ListRows,
        add: Callable[[NameFrame], None],
    ) -> None:
        """The loops of a comprehension; `made` is what it fills."""
        generator, *others = generators
        if generator.is_async:
            raise NotProved("a comprehension that waits")
        value, own = self.value(generator.iter, frame), frozenset(bound_names(generator.target))
        inner, over = NameFrame({"": made}, frame, frame.module, own), self.span(value)

        def run(item: Value) -> Signal:
            self.assign(generator.target, item, inner)
            if all(self.truth(self.value(test, inner)) for test in generator.ifs):
                if others:
                    self.generated(others, inner, made, add)
                else:
                    add(inner)
            return None

        with self.gone_over(value):
            if over is None:
                self.one_by_one(self.items(value), run)
            elif others:
                raise NotProved("a comprehension of several loops")
            else:
                self.rolled(PythonLoop(run, inner, own, over))

    def sum(self, value: Value, start: Value = 0) -> Value:
        """One item after the other, as a loop adds them up."""
        if (over := self.span(value)) is None:
            return super().sum(value, start)
        total = NameFrame({"": start}, None, self.module, frozenset([""]))

        def run(item: Value) -> Signal:
            if not is_array(item) or not (is_array(total.names[""]) or total.names[""] == 0):
                raise NotProved("a sum of floats of Python")
            total.names[""] = self.binary(ast.Add, total.names[""], item)
            return None

        with self.gone_over(value):
            self.rolled(PythonLoop(run, total, total.own, over))
        return total.held("")

    def while_loop(self, node: ast.While, frame: NameFrame) -> Signal:
        names_in_test = any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.test))
        breaks = leaves_by_break(node)
        if names_in_test and (breaks or any(isinstance(n, ast.Return) for n in ast.walk(node))):
            raise NotProved("a test that binds a name, and a loop that is left otherwise")

        def run(_: Value) -> Signal:
            if names_in_test:
                self.value(node.test, frame)
            return self.suite(node.body, frame)

        def test() -> Value:
            with self.within(set()):
                return self.value(node.test, frame)

        loop = PythonLoop(run, frame, bound_names(node), None, test, bool(node.orelse), breaks)
        with self.run_of(node):
            if not names_in_test and (count := self.counted(loop, test)) is not None:
                loop.over, loop.test = TripSpan(count, lambda _: None), None
                return self.rolled(loop)
            signal = self.until(loop)
        if names_in_test:
            self.value(node.test, frame)
        return signal

    def counted(self, loop: PythonLoop, test: Test) -> Polynomial | None:
        """The number of trips of a `while` that whole numbers of Python alone decide; None where data do."""
        state, name = state_of(loop.frame, loop.names), self.trip_name()
        before, windows = state.read(), self.windows(state)
        if not isinstance(planned := self.planned(state, before, windows, lambda: loop.run(None)), list):
            return None
        moved = self.shown(planned, before, [UNBOUND] * len(before), symbol(name))
        moved = [UNBOUND if arrays(x) else x for x in moved]  # a later trip may change it
        grows = growing(state, self.dry)

        def on_that_trip() -> None:
            state.write(moved)
            state.begin([[] if grow else None for grow in grows], [symbol(name) * grow for grow in grows])

        with self.integers.within(name, number(2**31)):
            try:
                asked = self.asked.alone(on_that_trip, test)
            except NotProved:  # it asks for what trips change otherwise
                return None
            finally:
                state.write(before)
                state.restore()
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
