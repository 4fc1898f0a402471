"""Puts values in the place of the names that are free in terms."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import cast

from .open_loops import LoopTerms
from .polynomials import NotProved, Polynomial, symbol
from .term_table import Meant, Term, trip_at


class Substitution:
    """Puts polynomials in the place of trips, terms in the place of states, and of whole parts by their number."""

    def __init__(self, algebra: LoopTerms, meant: Meant, parts: Mapping[int, Term] | None = None) -> None:
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
        found: dict[str, Polynomial] = {}
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
            if by is not None:
                found[name] = by
        return value.substituted(found)

    def _made(self, term: Term) -> Term:
        algebra = self.algebra
        match term.op:
            case "state":
                meant = self.meant.get(name_of(term))
                return meant if isinstance(meant, Term) else term
            case "int":
                assert isinstance(term.par, Polynomial)
                return algebra.integer(self.whole(term.par), term.dtype)
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
            inner = Substitution(algebra, {**self.meant, trip_at(term.height): symbol(name)}, self.parts)
            return algebra.rows(name, count, inner.of(term.args[0]))

    def _before(self, term: Term) -> Term:
        algebra = self.algebra
        number_of, place, trip = cast("tuple[int, int, Polynomial | None]", term.par)
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
    return cast("tuple[int, Polynomial]", term.par)


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
