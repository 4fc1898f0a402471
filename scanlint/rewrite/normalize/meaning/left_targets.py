"""Loop variables that are read after a loop which may make no trip: a name of their own, which each trip binds anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.dataflow.liveness import flow_around
from scanlint.loops.streams import streams_of, trips_of
from scanlint.rewrite.emit.snippets import fresh
from scanlint.rewrite.normalize.meaning.changes import Change, Written, alone, function_of, within_loops
from scanlint.trace.unit import Unit


def left_targets(unit: Unit) -> Iterator[Change]:
    """`for x in xs: ...` with an `x` from before the loop that is read after it, as `for row in xs: x = row; ...`."""
    sheet = Written(unit)
    for node in within_loops(unit):
        if not isinstance(node, ast.For):
            continue
        left = list(_left(unit, node))
        taken = set(unit.names)
        pieces, lines = [], []
        for target in left:
            name = fresh(taken, f"{target.id}_now")
            taken.add(name)
            pieces.append(sheet.put(target, name))
            lines.append(f"{target.id} = {name}")
        if pieces:
            yield (*pieces, sheet.above(node.body[0], lines))


def _left(unit: Unit, node: ast.For) -> Iterator[ast.Name]:
    """The loop variables that keep what they were where there is no trip, and of which somebody speaks then."""
    flow = flow_around(unit, node)
    if node not in flow.live_after:
        return  # it stands in the body of a class
    if trips_of(unit, tuple(streams_of(unit, node.target, node.iter))):
        return
    for part in ast.walk(node.target):
        if isinstance(part, ast.Name) and part.id in flow.live_after[node] & flow.bound_before[node]:
            if alone(unit, part.id, function_of(unit, node)):
                yield part
