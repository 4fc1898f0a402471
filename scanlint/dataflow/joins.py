"""Places joins where definitions of a location meet and the location is live."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.dataflow.control.blocks import FlowGraph
from scanlint.dataflow.control.dominance import Dominance
from scanlint.dataflow.locations import Definition, Variable


class Occurrence(NamedTuple):
    """A read of a location (`definition` is None), or a definition of it."""

    node: ast.AST
    location: Variable
    definition: Definition | None
    weak: bool = False


def joins(graph: FlowGraph, tree: Dominance, every: list[list[Occurrence]]) -> Iterator[tuple[int, Variable]]:
    """The blocks that begin with a join of a location."""
    defined: dict[Variable, set[int]] = defaultdict(set)
    exposed: list[set[Variable]] = [set() for _ in every]
    kills: list[set[Variable]] = [set() for _ in every]
    for block, steps in enumerate(every):
        for location, definition, weak in (step[1:] for step in steps):
            if definition is None or weak:
                if location not in kills[block]:
                    exposed[block].add(location)
            if definition is not None:
                defined[location].add(block)
                if not weak:
                    kills[block].add(location)
    bits = {location: k for k, location in enumerate(set().union(*exposed) & defined.keys())}
    needed, killed = [_mask(bits, e) for e in exposed], [_mask(bits, k) for k in kills]
    after = live(graph, needed, killed)
    for location, bit in bits.items():
        pending, placed = list(defined[location]), set[int]()
        while pending:
            for block in tree.frontier[pending.pop()]:
                if block not in placed and (after[block] & ~killed[block] | needed[block]) >> bit & 1:
                    placed.add(block)
                    yield block, location
                    pending.append(block)


def _mask(bits: dict[Variable, int], locations: set[Variable]) -> int:
    mask = 0
    for location in locations:
        if (bit := bits.get(location)) is not None:
            mask |= 1 << bit
    return mask


def live(graph: FlowGraph, exposed: list[int], kills: list[int]) -> list[int]:
    """The locations that are live where each block ends, a bit each, by what blocks read first and what they bind."""
    out = [0] * len(exposed)
    changed = True
    while changed:
        changed = False
        for block in reversed(graph.blocks):
            before = exposed[block.id] | (out[block.id] & ~kills[block.id])
            for source in block.before:
                if out[source] | before != out[source]:
                    out[source] |= before
                    changed = changed or source >= block.id
    return out
