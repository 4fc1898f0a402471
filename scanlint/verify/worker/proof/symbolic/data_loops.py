"""Loops that data end, in normal form: left before a trip that would leave, their counters told by the trips made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .open_loops import LoopResults, OpenLoop
from .polynomials import symbol
from .relations import Relations, conjuncts
from .substitution import Substitution, name_of
from .term_table import BOOL, WHOLE, Meant, Term


@dataclass
class DataLoops(Relations):
    """What a test ends is one loop, however the test is written."""

    def loop_by_data(self, body: OpenLoop) -> LoopResults | None:
        """The loop, where its form can be plainer: without the flag that a trip sets to leave it, or with a clock."""
        flag = next((k for k in range(len(body.states)) if self._is_flag(body, k)), None)
        if flag is not None:
            return self._left_before(body, flag)
        if self.clock(body) is not None:
            return None
        state, step = self._clock(body)
        wider = OpenLoop(
            body.trip, None, [*body.states, state], [*body.inits, self.integer(0, WHOLE)], [*body.steps, step], [],
            body.test,
        )  # fmt: skip
        made = self.loop(wider)
        return LoopResults(made.last[:-1], made.stacked, made.before)

    def _clock(self, body: OpenLoop) -> tuple[Term, Term]:
        return self.state(self.fresh("s"), (), WHOLE), self.integer(symbol(body.trip) + 1, WHOLE)

    def _is_flag(self, body: OpenLoop, place: int) -> bool:
        """Whether a state ends the loop once it is set, and is not before the first trip."""
        state, init, step = body.states[place], body.inits[place], body.steps[place]
        if state.shape or state.dtype != BOOL or init is not self.truth(False) or self.known(step) is not None:
            return False
        assert body.test is not None
        parts = conjuncts(body.test)
        ends = any(part.op == "not" and part.args[0] is state for part in parts)
        return ends and sum(name_of(state) in part.free for part in parts) == 1

    def _left_before(self, body: OpenLoop, flag: int) -> LoopResults:
        """A loop ends before the trip that would set the flag; what that trip does is done after it, if one is."""
        assert body.test is not None
        own, unset = body.states[flag], {name_of(body.states[flag]): self.truth(False)}
        goes_on = [part for part in conjuncts(body.test) if name_of(own) not in part.free]
        with self.integers.within(body.trip, self.span_of(None, body.test, body.trip, body.states)):
            steps = [self.substituted(s, unset) for s in body.steps]
            leaves = steps[flag]
            last_steps = [self.where(s, leaves, True) for s in steps]
            steps = [self.where(s, leaves, False) for s in steps]
        clock, tick = self._clock(body)
        stays = self.make("not", (), [leaves], (), BOOL)
        test = self.all_of([*goes_on, stays])
        kept = [k for k in range(len(body.states)) if k != flag]
        made = self.loop(
            OpenLoop(
                body.trip, None, [*(body.states[k] for k in kept), clock],
                [*(body.inits[k] for k in kept), self.integer(0, WHOLE)], [*(steps[k] for k in kept), tick], [], test,
            )
        )  # fmt: skip
        ended: Meant = {
            body.trip: self.trips_made(made.last[-1]),
            **{name_of(body.states[k]): made.last[j] for j, k in enumerate(kept)},
        }
        left = self.substituted(self.all_of([*goes_on, leaves]), ended)
        last = []
        for k in range(len(body.states)):
            if k == flag:
                last.append(left)
            else:
                cases = [made.last[kept.index(k)], self.substituted(last_steps[k], ended)]
                last.append(self.make("select_n", (), [left, *cases], cases[0].shape, cases[0].dtype))
        return LoopResults(last, made.stacked, made.before)

    def all_of(self, parts: list[Term]) -> Term:
        found = self.truth(True)
        for part in parts:
            found = self.make("and", (), [found, part], (), BOOL)
        return found

    def where(self, term: Term, condition: Term, holds: bool) -> Term:
        """The term where the condition is known to hold, or not to."""
        parts = {part.number: self.truth(truth) for part, truth in self._told(condition, holds)}
        return Substitution(self, {}, parts).of(term)

    def _told(self, condition: Term, holds: bool) -> Iterator[tuple[Term, bool]]:
        yield condition, holds
        if condition.op == "not":
            yield from self._told(condition.args[0], not holds)
        if condition.op == "and" and holds:
            for part in condition.args:
                yield from self._told(part, True)

    def derived(self, body: OpenLoop, place: int) -> Term | None:
        """A state that is a function of others, before each trip, in terms of these: its start and each trip say so."""
        own = body.steps[place]
        others = [k for k in body.open if k != place and body.steps[k].op not in ("state", "int", "const")]
        if not others or own.op in ("state", "int", "const"):
            return None
        marks = {k: self.state(self.fresh("s"), body.states[k].shape, body.states[k].dtype) for k in others}
        found = Substitution(self, {}, {body.steps[k].number: mark for k, mark in marks.items()}).of(own)
        if found.free & {body.trip, *map(name_of, body.states)} or found.op == "state":
            return None
        first: Meant = {name_of(mark): body.inits[k] for k, mark in marks.items()}
        if self.substituted(found, first) is not body.inits[place]:
            return None
        return self.substituted(found, {name_of(mark): body.states[k] for k, mark in marks.items()})
