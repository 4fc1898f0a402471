"""What remains of a loop, by induction: the coarsest partition of states that first values and trips respect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .open_loops import LoopResults, LoopTerms, OpenLoop
from .polynomials import NotProved, Polynomial, number, symbol
from .substitution import Substitution, name_of
from .term_table import BOOL, WHOLE, LoopTerm, Meant, Term, state_at, trip_at

FOREVER = number(2**30)
"""More trips no proof speaks of: counters that start in the first half of 32 bits stay in them."""
MOST_LOOPS = 400


@dataclass
class Relations(LoopTerms):
    """Terms with loops; `aliases` are, by loop, the states that equal one of an earlier loop before every trip."""

    aliases: dict[int, dict[int, tuple[int, int]]] = field(default_factory=dict)

    def _related(self, body: OpenLoop) -> LoopResults:
        """What remains, its equal states merged, in terms of loops that were met before."""
        count, places = body.count, body.open
        certain = count is not None and self.integers.at_least_zero(count - 1)
        used = {name for term in [*(body.steps[k] for k in places), *body.others(-1)] for name in term.free}
        unread = {k for k in places if certain and name_of(body.states[k]) not in used}
        alive, clock = [k for k in places if k not in unread], self.clock(body) if count is None else None
        names = dict(zip(alive, self._names(*self._closed(body, alive)), strict=True))

        def before(place: int, at: Polynomial | None) -> Term:
            if place in body.known:
                start, last = body.known[place]
                if last is not None and (at is None or at == count):
                    return last
                trip = self.trips_made(before(clock or 0, None)) if at is None else at
                states = {
                    name_of(body.states[k]): before(k, at) for k in alive if name_of(body.states[k]) in start.free
                }
                return self.substituted(start, {body.trip: trip, **states})
            if place in body.filled:
                raise NotProved("an array is read while it is filled")
            if place in unread:
                if at is None or not self.integers.at_least_zero(at - 1):
                    raise NotProved("a state before a trip that may be the first, which nothing reads")
                return after(body.steps[place], at - 1)
            return self.state_before(*names[place], at)

        def after(term: Term, at: Polynomial) -> Term:
            return self._after(body, alive, term, at, before)

        def stacked(place: int, reverse: bool) -> Term:
            if count is None:
                raise NotProved("rows of a loop that data end")
            return self.by_rows(count, lambda t: after(body.given[place], count - 1 - t if reverse else t))

        def last(place: int) -> Term:
            if place not in body.filled:
                return before(place, count)
            axis, reverse, at = body.filled[place]
            rows = stacked(at, reverse)
            return self._moved(rows, axis) if axis else rows

        return LoopResults([*map(last, range(len(body.states)))], stacked, before)

    def _after(
        self,
        body: OpenLoop,
        alive: Sequence[int],
        term: Term,
        at: Polynomial,
        before: Callable[[int, Polynomial], Term],
    ) -> Term:
        """What a trip computes, on trip `at`; what is carried is named as the state before the next one."""
        place = next((k for k in alive if body.steps[k] is term), None)
        if place is not None:
            return before(place, at + 1)
        carried = {body.steps[k]: before(k, at + 1) for k in alive if body.steps[k].op not in ("state", "int", "const")}
        states = {name_of(body.states[k]): before(k, at) for k in alive if name_of(body.states[k]) in term.free}
        return Substitution(self, {body.trip: at, **states}, {t.number: by for t, by in carried.items()}).of(term)

    def span_of(self, count: Polynomial | None, test: Term | None, trip: str, states: Sequence[Term]) -> Polynomial:
        """How many trips there are at most, as far as known: a test may ask whether the trip is below a number."""
        if count is not None:
            return count
        own = {trip, *map(name_of, states)}
        for part in conjuncts(test) if test is not None else ():
            if part.op == "below" and isinstance(part.par, Polynomial):
                by_power = part.par.by_power(trip)
                rest = by_power.get(0, number(0))
                if by_power.keys() <= {0, 1} and by_power.get(1) == number(1) and not self.free_of(rest) & own:
                    return -rest
        return FOREVER

    def span(self, loop: LoopTerm) -> Polynomial:
        return self.span_of(loop.count, loop.test, loop.trip, loop.states)

    def clock(self, body: OpenLoop) -> int | None:
        """The place of a state that counts the trips from 0 on."""
        first, step = self.integer(0, WHOLE), self.integer(symbol(body.trip) + 1, WHOLE)
        places = range(len(body.states))
        return next((k for k in places if body.inits[k] is first and body.steps[k] is step), None)

    def trips_made(self, clock: Term) -> Polynomial:
        """The number of trips of a loop that data end, as a clock tells it."""
        found = self.exact(clock)
        if len(found.symbols) == 1 and found == symbol(name := next(iter(found.symbols))):
            self.integers.values[name] = number(0), FOREVER
        return found

    def _moved(self, rows: Term, axis: int) -> Term:
        """An array filled along another axis, from the stack of what is filled."""
        order = (*range(1, axis + 1), 0, *range(axis + 1, len(rows.shape)))
        return self.make("transpose", order, [rows], tuple(rows.shape[k] for k in order), rows.dtype)

    def _closed(self, body: OpenLoop, places: Sequence[int]) -> tuple[LoopTerm, list[int]]:
        """The loop of these states with its names bound, equal states merged; and which of its states each one is."""
        loop = self._bound(body, places)
        [classes], _ = self.refined([loop])
        firsts = sorted({classes.index(c) for c in classes})
        if len(firsts) == len(classes):
            return loop, [*range(len(places))]
        rank = {f: j for j, f in enumerate(firsts)}
        merged = {name_of(body.states[places[j]]): body.states[places[classes.index(c)]] for j, c in enumerate(classes)}
        steps = [self.substituted(s, merged) for s in body.steps]
        test = self.test(body.test, merged, body.trip)
        joined = OpenLoop(body.trip, body.count, body.states, body.inits, steps, [], test)
        return self._bound(joined, [places[f] for f in firsts]), [rank[classes.index(c)] for c in classes]

    def _bound(self, body: OpenLoop, places: Sequence[int]) -> LoopTerm:
        terms = [body.steps[k] for k in places]
        height = max([0, *(t.height for t in [*terms, *([body.test] if body.test is not None else [])])])
        while True:
            height += 1
            states = [
                self.state(state_at(height, j), body.inits[k].shape, body.inits[k].dtype) for j, k in enumerate(places)
            ]
            meant: dict[str, Polynomial | Term] = {body.trip: symbol(trip_at(height))}
            meant |= {name_of(body.states[k]): s for k, s in zip(places, states, strict=True)}
            with self.integers.within(trip_at(height), self.span_of(body.count, body.test, body.trip, body.states)):
                bound = [self.substituted(t, meant) for t in terms]
            test = self.test(body.test, meant, trip_at(height))
            all_bound = [*bound, *([test] if test is not None else [])]
            if max([0, *(t.height for t in all_bound)]) < height:
                break
        inits = tuple(body.inits[k] for k in places)
        own = {trip_at(height), *map(name_of, states)}
        free = frozenset[str]().union(
            *(t.free for t in inits), *(t.free - own for t in all_bound), self.free_of(body.count)
        )
        above = max([height, *(t.height for t in inits), self.height_of(body.count)])
        return LoopTerm(trip_at(height), body.count, tuple(states), inits, tuple(bound), test, above, free)

    def test(self, test: Term | None, meant: Meant, trip: str) -> Term | None:
        """A test for other values: on any trip, for it is what says which trips there are."""
        with self.integers.within(trip, FOREVER):
            return self.substituted(test, meant) if test is not None else None

    def _names(self, loop: LoopTerm, kept: Sequence[int]) -> list[tuple[int, int]]:
        """Which state of which loop each place is: of an earlier loop where both are equal before every trip."""
        key = (
            loop.count,
            tuple(i.number for i in loop.inits),
            tuple(s.number for s in loop.steps),
            loop.test and loop.test.number,
        )
        if key not in self.by_loop:
            if len(self.loops) >= MOST_LOOPS:
                raise NotProved("too many loops")
            self.by_loop[key] = len(self.loops)
            self.loops.append(loop)
            self.aliases[self.by_loop[key]] = self._aliases(loop)
        at = self.by_loop[key]
        return [self.aliases.get(at, {}).get(j, (at, j)) for j in kept]

    def _aliases(self, loop: LoopTerm) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        for m, other in enumerate(self.loops[:-1]):
            unlike = other.count != loop.count or (other.test is None) != (loop.test is None) or other.free != loop.free
            if unlike or not (other.steps and loop.steps):
                continue
            (theirs, mine), same = self.refined([other, loop])
            if same:
                for j, c in enumerate(mine):
                    if c in theirs and j not in found:
                        k = theirs.index(c)
                        found[j] = self.aliases.get(m, {}).get(k, (m, k))
        return found

    def refined(self, loops: Sequence[LoopTerm]) -> tuple[list[list[int]], bool]:
        """The coarsest partition of states that first values and trips respect; whether tests are equal under it."""
        trip = self.fresh("t")
        first = [[(i.number,) for i in loop.inits] for loop in loops]
        names: dict[tuple[int, ...], int] = {}
        sides = [[names.setdefault(key, len(names)) for key in keys] for keys in first]
        classes: dict[int, Term] = {}
        with self.integers.within(trip, self.span(loops[0])):
            while True:
                meant = [self._by_class(loop, side, classes, trip) for loop, side in zip(loops, sides, strict=True)]
                found = [
                    [(c, self.substituted(s, m).number) for c, s in zip(side, loop.steps, strict=True)]
                    for loop, side, m in zip(loops, sides, meant, strict=True)
                ]
                asked = [self.test(loop.test, m, trip) for loop, m in zip(loops, meant, strict=True)]
                tests = {test.number if test is not None else None for test in asked}
                finer: dict[tuple[int, ...], int] = {}
                split = [[finer.setdefault(key, len(finer)) for key in keys] for keys in found]
                if len(finer) == len(names):
                    return sides, len(tests) == 1
                sides, names = split, finer
                classes.clear()

    def _by_class(
        self, loop: LoopTerm, side: Sequence[int], classes: dict[int, Term], trip: str
    ) -> dict[str, Polynomial | Term]:
        meant: dict[str, Polynomial | Term] = {loop.trip: symbol(trip)}
        for c, state in zip(side, loop.states, strict=True):
            if c not in classes:
                classes[c] = self.state(self.fresh("s"), state.shape, state.dtype)
            meant[name_of(state)] = classes[c]
        return meant

    def state_before(self, loop: int, place: int, trip: Polynomial | None) -> Term:
        """The state of a loop before a trip; after the last one where the trip is None."""
        made = self.loops[loop]
        init = made.inits[place]
        if trip is not None and trip.constant == 0:
            return init
        within = [made, *([trip] if trip is not None else [])]
        return self.term("before", (loop, place, trip), (), init.shape, init.dtype, within=within)

    def reopened(self, loop: LoopTerm, meant: Meant) -> OpenLoop:
        """A loop with fresh names, what is free in it replaced."""
        go = Substitution(self, meant)
        count = go.whole(loop.count) if loop.count is not None else None
        trip = self.fresh("t")
        states = [self.state(self.fresh("s"), s.shape, s.dtype) for s in loop.states]
        inner = {**meant, loop.trip: symbol(trip)} | {name_of(s): f for s, f in zip(loop.states, states, strict=True)}
        with self.integers.within(trip, count if count is not None else go.whole(self.span(loop))):
            within = Substitution(self, inner)
            steps = [within.of(s) for s in loop.steps]
        test = self.test(loop.test, inner, trip)
        return OpenLoop(trip, count, states, [go.of(i) for i in loop.inits], steps, [], test)

    def substituted(self, term: Term, meant: Meant) -> Term:
        return Substitution(self, meant).of(term)


def conjuncts(test: Term) -> list[Term]:
    """The parts of a test that all have to hold."""
    return [part for a in test.args for part in conjuncts(a)] if test.op == "and" and test.dtype == BOOL else [test]
