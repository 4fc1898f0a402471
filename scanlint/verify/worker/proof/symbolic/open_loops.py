"""Loops before their names are bound, and what they leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from .polynomials import Polynomial
from .structure import Structure
from .term_table import LoopTerm, Meant, Term


@dataclass
class LoopResults:
    """What a loop leaves: its states after the last trip, its rows by output, and its states before any trip."""

    last: list[Term]
    stacked: Callable[[int, bool], Term]
    before: Callable[[int, Polynomial], Term]


@dataclass
class OpenLoop:
    """An open loop: states after one trip (`steps`) and rows (`given`), in terms of `states` before it and `trip`."""

    trip: str
    count: Polynomial | None
    states: list[Term]
    inits: list[Term]
    steps: list[Term]
    given: list[Term]
    test: Term | None = None
    known: dict[int, tuple[Term, Term | None]] = field(default_factory=dict)
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
class LoopTerms(Structure):
    """What substitution asks of an algebra of loops."""

    def loop(self, body: OpenLoop) -> LoopResults:
        raise NotImplementedError

    def reopened(self, loop: LoopTerm, meant: Meant) -> OpenLoop:
        raise NotImplementedError

    def state_before(self, loop: int, place: int, trip: Polynomial | None) -> Term:
        raise NotImplementedError
