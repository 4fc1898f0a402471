"""What goes from trip to trip of a loop: the joins at its head."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.dataflow.control.blocks import Region
from scanlint.dataflow.locations import Definition, Location
from scanlint.dataflow.ssa import Phi, Ssa, Value, operands, own


class Carried(NamedTuple):
    """A location that a trip may read as the trip before left it.

    `before` are the definitions from before the loop that reach its head, `trip` those of the trip before. `reads` are
    the places in the loop that see either, `after` those outside of it.
    """

    location: Location
    before: frozenset[Definition]
    trip: frozenset[Definition]
    reads: tuple[ast.AST, ...]
    after: tuple[ast.AST, ...]


def entering(ssa: Ssa, region: Region, location: Location) -> frozenset[Definition]:
    """The definitions of a location that reach the head of a loop from before it."""
    join = ssa.phis[region.head].get(location)
    if join is None:
        return ssa.definitions(ssa.into(region.head, location))
    sides = zip(join.operands, join.sources, strict=True)
    return frozenset().union(*(ssa.definitions(v) for v, source in sides if not region.holds(source)))


def carried(ssa: Ssa, region: Region) -> Iterator[Carried]:
    """The locations that a loop carries from trip to trip: what it reads, or leaves, may come from the trip before."""
    for location, join in ssa.phis[region.head].items():
        if id(join) in ssa.live(location) and (found := _carried(ssa, region, join)) is not None:
            yield found


def _carried(ssa: Ssa, region: Region, join: Phi) -> Carried | None:
    sides = list(zip(join.operands, join.sources, strict=True))
    inside = [v for v, source in sides if region.holds(source)]
    trip = frozenset(_from_trip(join, inside))
    if not trip:
        return None
    reads = list(ssa.reached(join))
    within = ssa.nodes(r for r in reads if region.holds(r.block))
    after = ssa.nodes(r for r in reads if not region.holds(r.block))
    before = entering(ssa, region, join.location)
    return Carried(join.location, before, trip, within, after)


def _from_trip(join: Phi, ends: list[Value]) -> Iterator[Definition]:
    """The definitions that reach the end of a trip without having been there at its start."""
    seen, stack = {id(join)}, list(ends)
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if (definition := own(value)) is not None:
            yield definition
        stack += operands(value)


def made_in(ssa: Ssa, region: Region) -> Iterator[Value]:
    """The values of definitions that stand in a loop."""
    for block in range(region.head, region.end):
        yield from ssa.defined[block]


def leaving(ssa: Ssa, region: Region) -> dict[Definition, tuple[ast.AST, ...]]:
    """The definitions of a loop that are read after it, or before it on the next trip of one around it, and where."""
    found: dict[Definition, tuple[ast.AST, ...]] = {}
    for value in made_in(ssa, region):
        definition = own(value)
        reads = ssa.nodes(r for r in ssa.reached(value) if not region.holds(r.block))
        if reads and definition is not None:
            found[definition] = reads
    return found
