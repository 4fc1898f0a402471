"""Loops as terms: counters in closed form, rows that are filled as stacks, and what remains by induction.

Two states have one value before every trip if they have one at the start and one after a trip, given that all classes
of states have one: the coarsest such partition is the relation between two loops, and nothing is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from .polynomials import NotProved, Polynomial, number, symbol
from .structure import Structure
from .terms import Loop, Meant, Term, state_at, trip_at

FOREVER = number(2**31 - 1)
MOST_LOOPS = 400
QUESTIONS = frozenset(["below", "zero"])


@dataclass
class Ended:
    """What a loop leaves: its states after the last trip, its rows by output, and its states before any trip."""

    last: list[Term]
    stacked: Callable[[int, bool], Term]
    before: Callable[[int, Polynomial], Term]


@dataclass
class Body:
    """An open loop: one trip's states after it (`steps`) and rows (`given`) in terms of `states` before it and `trip`."""

    trip: str
    count: Polynomial | None
    states: list[Term]
    inits: list[Term]
    steps: list[Term]
    given: list[Term]
    test: Term | None = None
    known: dict[int, tuple[Term, Term]] = field(default_factory=dict)
    filled: dict[int, tuple[int, bool, int]] = field(default_factory=dict)

    @property
    def open(self) -> list[int]:
        """The places of states that are neither known nor filled row by row."""
        return [k for k in range(len(self.states)) if k not in self.known and k not in self.filled]

    def others(self, place: int) -> list[Term]:
        """All that a trip computes but for this state."""
        tests = [self.test] if self.test is not None else []
        return [*(self.steps[k] for k in self.open if k != place), *self.given, *tests]


@dataclass
class Algebra(Structure):
    """Terms with loops; `aliases` are, by loop, the states that equal one of an earlier loop before every trip."""

    aliases: list[dict[int, tuple[int, int]]] = field(default_factory=list)

    def substituted(self, term: Term, meant: Meant) -> Term:
        return _Substitution(self, meant).of(term)

    def loop(self, body: Body) -> Ended:
        """The loop in normal form."""
        count = body.count
        if any(i.shape != s.shape or i.dtype != s.dtype for i, s in zip(body.inits, body.steps, strict=True)):
            raise NotProved("a carry changes its type")
        if count is not None and count.constant is not None and count.constant <= 0:
            raise NotProved("a loop of no trips")
        with self.integers.within(body.trip, count if count is not None else FOREVER):
            nested = self._simplified(body)
            if nested is not None:
                return nested
            if count is not None and self._first_differs(body):
                return self._peeled(body, count)
            return self._related(body)

    def _simplified(self, body: Body) -> Ended | None:
        """States that are known before each trip are put in; a loop within a row of a state is another loop."""
        again = True
        while again:
            again = False
            for k in body.open:
                own, others = body.steps[k], body.others(k)
                if own is body.states[k] or own is body.inits[k]:
                    self._settle(body, k, body.inits[k], body.inits[k])
                    again = True
                elif body.count is None:
                    continue
                elif (counted := self._counter(body, k, body.count)) is not None:
                    self._settle(body, k, *counted)
                    again = True
                elif own.op == "set_row" and own.args[0] is body.states[k]:
                    if any(name_of(body.states[k]) in other.free for other in others):
                        continue
                    if (grid := self._one_row(body, k)) is not None:
                        return grid
                    again = self._fills(body, k, body.count) or again
        return None

    def _settle(self, body: Body, place: int, before: Term, last: Term) -> None:
        body.known[place] = before, last
        meant = {name_of(body.states[place]): before}
        body.steps = [self.substituted(s, meant) for s in body.steps]
        body.given = [self.substituted(g, meant) for g in body.given]
        body.test = self.substituted(body.test, meant) if body.test is not None else None

    def _counter(self, body: Body, place: int, count: Polynomial) -> tuple[Term, Term] | None:
        """A whole number that a trip alone decides: what it is after a trip tells what it was before."""
        own = body.steps[place]
        if own.shape or not own.whole or own.free & {name_of(s) for s in body.states}:
            return None
        trip = symbol(body.trip)
        before = self._with(self.polynomial(own), body.trip, trip - 1)
        if before is None or self._with(before, body.trip, number(0)) != self.polynomial(body.inits[place]):
            return None
        last = self._with(before, body.trip, count)
        return (self.int(before, own.dtype), self.int(last, own.dtype)) if last is not None else None

    def _with(self, value: Polynomial, trip: str, by: Polynomial) -> Polynomial | None:
        """A polynomial for another trip; None where a value or a quotient depends on it."""
        return None if self._hidden(value, trip) else value.replaced(trip, by)

    def _hidden(self, value: Polynomial, trip: str) -> bool:
        indirect = [s for s in value.symbols if s in self.integers.quotients or s in self.integers.values]
        return any(trip in self.integers.free(symbol(s)) for s in indirect)

    def _one_row(self, body: Body, place: int) -> Ended | None:
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
        wider = Body(body.trip, body.count, [*body.states, inner], inits, steps, body.given, body.test)
        made = self.loop(wider)
        last = [*made.last]
        last[place] = self.set_row(body.inits[place], axis, at, last.pop())

        def before(k: int, trip: Polynomial) -> Term:
            if k != place:
                return made.before(k, trip)
            return self.set_row(body.inits[place], axis, at, made.before(len(body.states), trip))

        return Ended(last, made.stacked, before)

    def replaced(self, term: Term, by: Mapping[Term, Term]) -> Term:
        """The term with others in the place of whole parts of it."""
        return _Substitution(self, {}, {part.number: other for part, other in by.items()}).of(term)

    def _fills(self, body: Body, place: int, count: Polynomial) -> bool:
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

    def _first_differs(self, body: Body) -> bool:
        """Whether a question about the trip is answered otherwise on the first trip than on all others."""
        count = body.count
        if count is None or not self.integers.at_least_zero(count - 1):
            return False
        for question in subterms([*(body.steps[k] for k in body.open), *body.given]):
            asked = question.par
            if question.op not in QUESTIONS or not isinstance(asked, Polynomial) or body.trip not in question.free:
                continue
            if self._hidden(asked, body.trip) or self._decided(question.op, asked.replaced(body.trip, number(0))) is None:
                continue
            with self.integers.within(body.trip, count - 1) as trip:
                if self._decided(question.op, asked.replaced(body.trip, trip + 1)) is not None:
                    return True
        return False

    def _decided(self, op: str, asked: Polynomial) -> bool | None:
        return self.integers.below_zero(asked) if op == "below" else self.integers.is_zero(asked)

    def _peeled(self, body: Body, count: Polynomial) -> Ended:
        """The first trip by itself, and a loop of the others."""
        if body.filled:
            raise NotProved("an array that is filled by trips of which the first differs")
        first = {body.trip: number(0), **{name_of(s): i for s, i in zip(body.states, body.inits, strict=True)}}
        steps = [body.states[k] if k in body.known else s for k, s in enumerate(body.steps)]
        inits = [body.inits[k] if k in body.known else self.substituted(s, first) for k, s in enumerate(steps)]
        head = [self.substituted(g, first) for g in body.given]
        if count.constant == 1:
            last = [body.known[k][1] if k in body.known else i for k, i in enumerate(inits)]
            return Ended(last, lambda j, _: self._alone(head[j]), lambda k, _: body.inits[k])
        with self.integers.within(body.trip, count - 1) as trip:
            later = {body.trip: trip + 1}
            steps = [self.substituted(s, later) for s in steps]
            given = [self.substituted(g, later) for g in body.given]
        rest = self.loop(Body(body.trip, count - 1, body.states, inits, steps, given))

        def stacked(place: int, reverse: bool) -> Term:  # noqa: FBT001
            parts = [self._alone(head[place]), rest.stacked(place, reverse)]
            shape = (count, *head[place].shape)
            return self.make("concatenate", 0, parts[::-1] if reverse else parts, shape, head[place].dtype)

        def before(place: int, at: Polynomial) -> Term:
            if place in body.known:
                return self.substituted(body.known[place][0], {body.trip: at})
            if not self.integers.at_least_zero(at - 1):
                raise NotProved("a state before a trip that may be the first, which differs")
            return rest.before(place, at - 1)

        return Ended([body.known[k][1] if k in body.known else x for k, x in enumerate(rest.last)], stacked, before)

    def _alone(self, term: Term) -> Term:
        return self.make("reshape", (), [term], (number(1), *term.shape), term.dtype)

    def _related(self, body: Body) -> Ended:
        """What remains, its equal states merged, in terms of loops that were met before."""
        count, places = body.count, body.open
        certain = count is not None and self.integers.at_least_zero(count - 1)
        used = {name for k in places for name in body.steps[k].free}
        used |= {name for term in body.others(-1) for name in term.free}
        unread = {k for k in places if certain and name_of(body.states[k]) not in used}
        alive = [k for k in places if k not in unread]
        names = dict(zip(alive, self._names(*self._closed(body, alive)), strict=True))

        def before(place: int, at: Polynomial | None) -> Term:
            if place in body.known:
                start, last = body.known[place]
                return last if at is None or at == count else self.substituted(start, {body.trip: at})
            if place in body.filled:
                raise NotProved("an array is read while it is filled")
            if place in unread:
                if at is None or not self.integers.at_least_zero(at - 1):
                    raise NotProved("a state before a trip that may be the first, which nothing reads")
                return after(body.steps[place], at - 1)
            return self.state_before(*names[place], at)

        def after(term: Term, at: Polynomial) -> Term:
            """What a trip computes, on trip `at`; what is carried is named as the state before the next one."""
            place = next((k for k in alive if body.steps[k] is term), None)
            if place is not None:
                return before(place, at + 1)
            carried = {body.steps[k]: before(k, at + 1) for k in alive if body.steps[k].op not in ("state", "int", "const")}
            states = {name_of(body.states[k]): before(k, at) for k in alive if name_of(body.states[k]) in term.free}
            return _Substitution(self, {body.trip: at, **states}, {t.number: by for t, by in carried.items()}).of(term)

        def stacked(place: int, reverse: bool) -> Term:  # noqa: FBT001
            if count is None:
                raise NotProved("rows of a loop that data end")
            return self.by_rows(count, lambda t: after(body.given[place], count - 1 - t if reverse else t))

        last = []
        for k in range(len(body.states)):
            if k in body.filled:
                axis, reverse, at = body.filled[k]
                rows = stacked(at, reverse)
                last.append(rows if not axis else self._moved(rows, axis))
            else:
                last.append(before(k, count))
        return Ended(last, stacked, before)

    def _moved(self, rows: Term, axis: int) -> Term:
        """An array filled along another axis, from the stack of what is filled."""
        order = (*range(1, axis + 1), 0, *range(axis + 1, len(rows.shape)))
        return self.make("transpose", order, [rows], tuple(rows.shape[k] for k in order), rows.dtype)

    def _closed(self, body: Body, places: Sequence[int]) -> tuple[Loop, list[int]]:
        """The loop of these states with its names bound, equal states merged; and which of its states each one is."""
        loop = self._bound(body, places)
        [classes], _ = self.refined([loop])
        firsts = sorted({classes.index(c) for c in classes})
        if len(firsts) == len(classes):
            return loop, [*range(len(places))]
        rank = {f: j for j, f in enumerate(firsts)}
        merged = {name_of(body.states[places[j]]): body.states[places[classes.index(c)]] for j, c in enumerate(classes)}
        steps = [self.substituted(s, merged) for s in body.steps]
        test = self.substituted(body.test, merged) if body.test is not None else None
        joined = Body(body.trip, body.count, body.states, body.inits, steps, [], test)
        return self._bound(joined, [places[f] for f in firsts]), [rank[classes.index(c)] for c in classes]

    def _bound(self, body: Body, places: Sequence[int]) -> Loop:
        terms = [*(body.steps[k] for k in places), *([body.test] if body.test is not None else [])]
        height = max([0, *(t.height for t in terms)])
        while True:
            height += 1
            states = [self.state(state_at(height, j), body.inits[k].shape, body.inits[k].dtype) for j, k in enumerate(places)]
            meant: dict[str, Polynomial | Term] = {body.trip: symbol(trip_at(height))}
            meant |= {name_of(body.states[k]): s for k, s in zip(places, states, strict=True)}
            with self.integers.within(trip_at(height), body.count if body.count is not None else FOREVER):
                bound = [self.substituted(t, meant) for t in terms]
            if max([0, *(t.height for t in bound)]) < height:
                break
        inits = tuple(body.inits[k] for k in places)
        own = {trip_at(height), *map(name_of, states)}
        free = frozenset[str]().union(*(t.free for t in inits), *(t.free - own for t in bound), self.free_of(body.count))
        above = max([height, *(t.height for t in inits), self.height_of(body.count)])
        steps, test = tuple(bound[: len(places)]), bound[-1] if body.test is not None else None
        return Loop(trip_at(height), body.count, tuple(states), inits, steps, test, above, free)

    def _names(self, loop: Loop, kept: Sequence[int]) -> list[tuple[int, int]]:
        """Which state of which loop each place is: of an earlier loop where both are equal before every trip."""
        key = (loop.count, tuple(i.number for i in loop.inits), tuple(s.number for s in loop.steps), loop.test and loop.test.number)
        if key not in self.by_loop:
            if len(self.loops) >= MOST_LOOPS:
                raise NotProved("too many loops")
            self.by_loop[key] = len(self.loops)
            self.loops.append(loop)
            self.aliases.append(self._aliases(loop))
        at = self.by_loop[key]
        return [self.aliases[at].get(j, (at, j)) for j in kept]

    def _aliases(self, loop: Loop) -> dict[int, tuple[int, int]]:
        found: dict[int, tuple[int, int]] = {}
        for m, other in enumerate(self.loops[:-1]):
            if other.count != loop.count or (other.test is None) != (loop.test is None) or not (other.steps and loop.steps):
                continue
            (theirs, mine), same = self.refined([other, loop])
            if same:
                for j, c in enumerate(mine):
                    if c in theirs and j not in found:
                        k = theirs.index(c)
                        found[j] = self.aliases[m].get(k, (m, k))
        return found

    def refined(self, loops: Sequence[Loop]) -> tuple[list[list[int]], bool]:
        """The coarsest partition of the states that first values and trips respect; whether the tests are equal under it."""
        trip = self.fresh("t")
        first = [[(i.number,) for i in loop.inits] for loop in loops]
        names: dict[tuple[int, ...], int] = {}
        sides = [[names.setdefault(key, len(names)) for key in keys] for keys in first]
        classes: dict[int, Term] = {}
        with self.integers.within(trip, loops[0].count if loops[0].count is not None else FOREVER):
            while True:
                meant = [self._by_class(loop, side, classes, trip) for loop, side in zip(loops, sides, strict=True)]
                found = [
                    [(c, self.substituted(s, m).number) for c, s in zip(side, loop.steps, strict=True)]
                    for loop, side, m in zip(loops, sides, meant, strict=True)
                ]
                tests = {
                    self.substituted(loop.test, m).number if loop.test is not None else None
                    for loop, m in zip(loops, meant, strict=True)
                }
                finer: dict[tuple[int, ...], int] = {}
                split = [[finer.setdefault(key, len(finer)) for key in keys] for keys in found]
                if len(finer) == len(names):
                    return sides, len(tests) == 1
                sides, names = split, finer
                classes.clear()

    def _by_class(
        self, loop: Loop, side: Sequence[int], classes: dict[int, Term], trip: str
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

    def reopened(self, loop: Loop, meant: Meant) -> Body:
        """A loop with fresh names, what is free in it replaced."""
        go = _Substitution(self, meant)
        count = go.whole(loop.count) if loop.count is not None else None
        trip = self.fresh("t")
        states = [self.state(self.fresh("s"), s.shape, s.dtype) for s in loop.states]
        inner = {**meant, loop.trip: symbol(trip)} | {name_of(s): f for s, f in zip(loop.states, states, strict=True)}
        with self.integers.within(trip, count if count is not None else FOREVER):
            within = _Substitution(self, inner)
            steps = [within.of(s) for s in loop.steps]
            test = within.of(loop.test) if loop.test is not None else None
        return Body(trip, count, states, [go.of(i) for i in loop.inits], steps, [], test)


class _Substitution:
    """Puts polynomials in the place of trips, terms in the place of states, and of whole parts by their number."""

    def __init__(self, algebra: Algebra, meant: Meant, parts: Mapping[int, Term] | None = None) -> None:
        self.algebra = algebra
        self.meant = meant
        self.names = frozenset(meant)
        self.parts = dict(parts or {})
        self.made: dict[int, Term] = {}

    def touches(self, free: frozenset[str]) -> bool:
        return bool(free & self.names)

    def of(self, term: Term) -> Term:
        if (part := self.parts.get(term.number)) is not None:
            return part
        if not self.touches(term.free) and not self.parts:
            return term
        if term.number not in self.made:
            self.made[term.number] = self._made(term)
        return self.made[term.number]

    def whole(self, value: Polynomial) -> Polynomial:
        algebra, integers = self.algebra, self.algebra.integers
        for name in sorted(value.symbols):
            by: Polynomial | None = None
            if name in self.names:
                meant = self.meant[name]
                by = meant if isinstance(meant, Polynomial) else None
            elif (quotient := integers.quotients.get(name)) is not None:
                if self.touches(algebra.free_of(quotient.of)) or self.parts:
                    by = integers.divided(self.whole(quotient.of), quotient.by)[quotient.rest]
            elif (at := algebra.valued(name)) is not None:
                term = algebra.listed[at]
                by = algebra.exact(self.of(term))
            if by is not None and by != symbol(name):
                value = value.replaced(name, by)
        return value

    def _made(self, term: Term) -> Term:
        algebra = self.algebra
        match term.op:
            case "state":
                meant = self.meant.get(name_of(term))
                return meant if isinstance(meant, Term) else term
            case "int":
                assert isinstance(term.par, Polynomial)
                return algebra.int(self.whole(term.par), term.dtype)
            case "below" | "zero":
                assert isinstance(term.par, Polynomial)
                return algebra.compared(term.op, self.whole(term.par))
            case "row":
                axis, place = placed(term)
                return algebra.row(self.of(term.args[0]), axis, self.whole(place))
            case "set_row":
                axis, place = placed(term)
                return algebra.set_row(self.of(term.args[0]), axis, self.whole(place), self.of(term.args[1]))
            case "rows":
                return self._rows(term)
            case "before":
                return self._before(term)
        if any(algebra.free_of(size) for size in term.shape):
            raise NotProved("a size that depends on the trip")
        return algebra.make(term.op, self.parameter(term.par), [self.of(a) for a in term.args], term.shape, term.dtype)

    def parameter(self, par: Hashable) -> Hashable:
        if isinstance(par, Polynomial):
            return self.whole(par)
        return tuple(map(self.parameter, par)) if type(par) is tuple else par

    def _rows(self, term: Term) -> Term:
        algebra = self.algebra
        assert isinstance(term.par, Polynomial)
        count, name = self.whole(term.par), algebra.fresh("t")
        if count != term.par:
            raise NotProved("a number of rows that depends on the trip")
        with algebra.integers.within(name, count):
            inner = _Substitution(algebra, {**self.meant, trip_at(term.height): symbol(name)}, self.parts)
            return algebra.rows(name, count, inner.of(term.args[0]))

    def _before(self, term: Term) -> Term:
        algebra = self.algebra
        number_of, place, trip = term.par  # type: ignore[misc]
        loop = algebra.loops[number_of]
        at = self.whole(trip) if trip is not None else None
        if not self.touches(loop.free):  # parts stay as they are inside of loops
            return algebra.state_before(number_of, place, at)
        body = algebra.reopened(loop, self.meant)
        if at is not None and at.constant == 0:
            return body.inits[place]
        ended = algebra.loop(body)
        return ended.last[place] if at is None or at == body.count else ended.before(place, at)


def placed(term: Term) -> tuple[int, Polynomial]:
    """Axis and place of a row."""
    axis, place = term.par  # type: ignore[misc]
    return axis, place


def name_of(state: Term) -> str:
    assert isinstance(state.par, str)
    return state.par


def subterms(terms: Sequence[Term]) -> list[Term]:
    seen: dict[int, Term] = {}
    todo = list(terms)
    while todo:
        term = todo.pop()
        if term.number not in seen:
            seen[term.number] = term
            todo += term.args
    return list(seen.values())

