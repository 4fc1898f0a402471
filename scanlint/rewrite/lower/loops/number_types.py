"""The ways in which the numbers of a range become an array, where those of its own dtype are refuted."""

from __future__ import annotations

import ast

from scanlint.finding import Outcome, Rewrite
from scanlint.loops.numbers.body import met_dtype
from scanlint.loops.numbers.tables import WEAK, Typed
from scanlint.loops.streams import Stream
from scanlint.trace.unit import Unit


def typings(unit: Unit, node: ast.For | ast.ListComp, streams: tuple[Stream, ...] = ()) -> list[Typed]:
    """The ways to be tried, the one that reads best first."""
    met = met_dtype(unit, node, streams)
    return [Typed(met), WEAK] if met is not None else [WEAK]


def marked(typed: Typed, outcome: Outcome) -> Outcome:
    """A rewrite that says of itself that its numbers are weakly typed."""
    return outcome._replace(weak=True) if typed.weak and isinstance(outcome, Rewrite) else outcome
