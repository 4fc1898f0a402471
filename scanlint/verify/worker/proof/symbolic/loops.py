"""Loops as terms: counters in closed form, rows that are filled as stacks, and what remains by induction.

Two states have one value before every trip if they have one at the start and one after a trip, given that all classes
of states have one: the coarsest such partition is the relation between two loops, and nothing is searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .data_loops import DataLoops
from .open_loops import LoopResults, OpenLoop
from .polynomials import NotProved, Polynomial, number, symbol
from .substitution import Substitution, name_of, placed, subterms
from .term_table import Meant, Term

MOST_UNROLLED = 64
QUESTIONS = frozenset(["below", "zero"])


@dataclass
class Algebra(DataLoops):
    """Loops in normal form; `unrolled`: those of a few trips trip by trip, as what was written trip by trip is."""

    unrolled: bool = False
    few_trips: bool = False
    differ: set[tuple[int, int]] = field(default_factory=set)
    """Terms that were found not to be the same, by number."""

    def loop(self, body: OpenLoop) -> LoopResults:
        """The loop in normal form."""
        count = body.count
        if any(i.shape != s.shape or i.dtype != s.dtype for i, s in zip(body.inits, body.steps, strict=True)):
            raise NotProved("a carry changes its type")
        if count is not None and count.constant is not None and count.constant <= 0:
            raise NotProved("a loop of no trips")
        few = count is not None and count.constant is not None and count.constant <= MOST_UNROLLED
        self.few_trips = self.few_trips or few
        if few and self.unrolled:
            return self._unrolled(body)
        if count is None and (made := self.loop_by_data(body)) is not None:
            return made
        with self.integers.within(body.trip, self.span_of(count, body.test, body.trip, body.states)):
            nested = self._simplified(body)
            if nested is not None:
                return nested
            if count is not None and self._first_differs(body):
                return self._peeled(body, count)
            return self._related(body)

    def _unrolled(self, body: OpenLoop) -> LoopResults:
        assert body.count is not None and body.count.constant is not None
        before, rows = [body.inits], list[list[Term]]()
        for trip in range(body.count.constant):
            meant: Meant = {body.trip: number(trip), **dict(zip(map(name_of, body.states), before[-1], strict=True))}
            rows.append([self.substituted(g, meant) for g in body.given])
            before.append([self.substituted(s, meant) for s in body.steps])

        def stacked(place: int, reverse: bool) -> Term:
            parts = [self._alone(row[place]) for row in (rows[::-1] if reverse else rows)]
            shape = (number(len(rows)), *rows[0][place].shape)
            return self.make("concatenate", 0, parts, shape, parts[0].dtype)

        def state(place: int, trip: Polynomial) -> Term:
            if trip.constant is None:
                raise NotProved("a state before a trip that is not known, of a loop that is unrolled")
            return before[trip.constant][place]

        return LoopResults(before[-1], stacked, state)

    def _simplified(self, body: OpenLoop) -> LoopResults | None:
        """States that are known before each trip are put in; a loop within a row of a state is another loop."""
        again = True
        while again:
            again = False
            for k in body.open:
                own, others = body.steps[k], body.others(k)
                if own is body.states[k] or own is body.inits[k]:
                    self._settle(body, k, body.inits[k], body.inits[k])
                    again = True
                elif k != self.clock(body) and (counted := self._counter(body, k, body.count)) is not None:
                    self._settle(body, k, *counted)
                    again = True
                elif body.count is None:
                    if (derived := self.derived(body, k)) is not None:
                        self._settle(body, k, derived, None)
                        again = True
                elif own.op == "set_row" and own.args[0] is body.states[k]:
                    if any(name_of(body.states[k]) in other.free for other in others):
                        continue
                    if (grid := self._one_row(body, k)) is not None:
                        return grid
                    again = self._fills(body, k, body.count) or again
        return None

    def _settle(self, body: OpenLoop, place: int, before: Term, last: Term | None) -> None:
        """Put a state in that is known before each trip; `last`: after all trips, None where it follows from others."""
        meant = {name_of(body.states[place]): before}
        known = body.known.items()
        body.known = {k: (self.substituted(b, meant), x) for k, (b, x) in known} | {place: (before, last)}
        body.steps = [self.substituted(s, meant) for s in body.steps]
        body.given = [self.substituted(g, meant) for g in body.given]
        body.test = self.test(body.test, meant, body.trip)

    def _counter(self, body: OpenLoop, place: int, count: Polynomial | None) -> tuple[Term, Term | None] | None:
        """A whole number that a trip alone decides: what it is after a trip tells what it was before."""
        own = body.steps[place]
        if own.shape or not own.whole or own.free & {name_of(s) for s in body.states}:
            return None
        trip = symbol(body.trip)
        before = self._with(self.polynomial(own), body.trip, trip - 1)
        if before is None or self._with(before, body.trip, number(0)) != self.polynomial(body.inits[place]):
            return None
        found = self.integer(before, own.dtype)
        if count is None:
            return found, None
        last = self._with(before, body.trip, count)
        return (found, self.integer(last, own.dtype)) if last is not None else None

    def _with(self, value: Polynomial, trip: str, by: Polynomial) -> Polynomial | None:
        """A polynomial for another trip; None where a value or a quotient depends on it."""
        return None if self._hidden(value, trip) else value.replaced(trip, by)

    def _hidden(self, value: Polynomial, trip: str) -> bool:
        indirect = [s for s in value.symbols if s in self.integers.quotients or s in self.integers.values]
        return any(trip in self.integers.free(symbol(s)) for s in indirect)

    def _one_row(self, body: OpenLoop, place: int) -> LoopResults | None:
        """A grid of which each trip changes the same row: that row is what the loop carries."""
        own, state = body.steps[place], body.states[place]
        axis, at, value = *placed(own), own.args[1]
        if self.free_of(at) & {body.trip, *map(name_of, body.states)}:
            return None
        row = self.row(state, axis, at)
        if name_of(state) not in value.free and row.op != "row":
            return None
        inner = self.state(self.fresh("s"), value.shape, value.dtype)
        value = self.replaced(value, {row: inner})
        if name_of(state) in value.free:
            return None
        steps = [*body.steps[:place], state, *body.steps[place + 1 :], value]
        inits = [*body.inits, self.row(body.inits[place], axis, at)]
        wider = OpenLoop(body.trip, body.count, [*body.states, inner], inits, steps, body.given, body.test)
        made = self.loop(wider)
        last = [*made.last]
        last[place] = self.set_row(body.inits[place], axis, at, last.pop())

        def before(k: int, trip: Polynomial) -> Term:
            if k != place:
                return made.before(k, trip)
            return self.set_row(body.inits[place], axis, at, made.before(len(body.states), trip))

        return LoopResults(last, made.stacked, before)

    def replaced(self, term: Term, by: Mapping[Term, Term]) -> Term:
        """The term with others in the place of whole parts of it."""
        return Substitution(self, {}, {part.number: other for part, other in by.items()}).of(term)

    def _fills(self, body: OpenLoop, place: int, count: Polynomial) -> bool:
        """Whether a state is an array that the trips fill row by row, from either end: then it is a stack of rows."""
        own = body.steps[place]
        axis, at, value = *placed(own), own.args[1]
        forward = at == symbol(body.trip)
        if name_of(body.states[place]) in value.free or own.shape[axis] != count:
            return False
        if not forward and at != count - 1 - symbol(body.trip):
            return False
        body.filled[place] = axis, not forward, len(body.given)
        body.given = [*body.given, value]
        return True

    def _first_differs(self, body: OpenLoop) -> bool:
        """Whether a question about the trip is answered otherwise on the first trip than on all others."""
        count = body.count
        if count is None or not self.integers.at_least_zero(count - 1):
            return False
        for question in subterms([*(body.steps[k] for k in body.open), *body.given]):
            asked = question.par
            if question.op not in QUESTIONS or not isinstance(asked, Polynomial) or body.trip not in question.free:
                continue
            if (
                self._hidden(asked, body.trip)
                or self._decided(question.op, asked.replaced(body.trip, number(0))) is None
            ):
                continue
            with self.integers.within(body.trip, count - 1) as trip:
                if self._decided(question.op, asked.replaced(body.trip, trip + 1)) is not None:
                    return True
        return False

    def _decided(self, op: str, asked: Polynomial) -> bool | None:
        return self.integers.below_zero(asked) if op == "below" else self.integers.is_zero(asked)

    def _peeled(self, body: OpenLoop, count: Polynomial) -> LoopResults:
        """The first trip by itself, and a loop of the others."""
        if body.filled:
            raise NotProved("an array that is filled by trips of which the first differs")
        first: Meant = {body.trip: number(0), **{name_of(s): i for s, i in zip(body.states, body.inits, strict=True)}}
        steps = [body.states[k] if k in body.known else s for k, s in enumerate(body.steps)]
        inits = [body.inits[k] if k in body.known else self.substituted(s, first) for k, s in enumerate(steps)]
        head = [self.substituted(g, first) for g in body.given]
        ended = {k: last for k, (_, last) in body.known.items() if last is not None}
        if count.constant == 1:
            last = [ended.get(k, i) for k, i in enumerate(inits)]
            return LoopResults(last, lambda j, _: self._alone(head[j]), lambda k, _: body.inits[k])
        with self.integers.within(body.trip, count - 1) as trip:
            later = {body.trip: trip + 1}
            steps = [self.substituted(s, later) for s in steps]
            given = [self.substituted(g, later) for g in body.given]
        rest = self.loop(OpenLoop(body.trip, count - 1, body.states, inits, steps, given))

        def stacked(place: int, reverse: bool) -> Term:
            parts = [self._alone(head[place]), rest.stacked(place, reverse)]
            shape = (count, *head[place].shape)
            return self.make("concatenate", 0, parts[::-1] if reverse else parts, shape, head[place].dtype)

        def before(place: int, at: Polynomial) -> Term:
            if place in body.known:
                return self.substituted(body.known[place][0], {body.trip: at})
            if not self.integers.at_least_zero(at - 1):
                raise NotProved("a state before a trip that may be the first, which differs")
            return rest.before(place, at - 1)

        return LoopResults([ended.get(k, x) for k, x in enumerate(rest.last)], stacked, before)

    def _alone(self, term: Term) -> Term:
        return self.make("reshape", (), [term], (number(1), *term.shape), term.dtype)
