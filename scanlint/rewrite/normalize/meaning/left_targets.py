"""Loop variables that are read after a loop which may make no trip: a name of their own, which each trip binds anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.dataflow.liveness import flow_around
from scanlint.loops.streams import streams_of, trips_of
from scanlint.rewrite.emit.snippets import claimed
from scanlint.rewrite.normalize.meaning.changes import Change, alone, function_of, within_loops
from scanlint.syntax.bindings import targets
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def left_targets(unit: Unit) -> Iterator[Change]:
    """`for x in xs: ...` with an `x` from before the loop that is read after it, as `for row in xs: x = row; ...`."""
    sheet = unit.source
    for node in within_loops(unit):
        if not isinstance(node, ast.For):
            continue
        left = list(_left(unit, node))
        taken = set(unit.names)
        pieces, lines = [], []
        for target in left:
            name = claimed(taken, f"{target.id}_now")
            pieces.append(sheet.put(target, name))
            lines.append(f"{target.id} = {name}")
        if pieces:
            yield (*pieces, sheet.ahead(node.body[0], *lines))


def _elsewhere(unit: Unit, loop: ast.For, name: str) -> bool:
    """A name may be read behind a loop: it stands outside of it, or a function that is made in it may speak of it."""
    first, last = (loop.lineno, loop.col_offset), (loop.end_lineno or 0, loop.end_col_offset or 0)
    if any(not first <= (place.lineno, place.col_offset) < last for place in unit.mentions.get(name, ())):
        return True
    return any(isinstance(part, FUNCTIONS) for part in walk(loop))


def _left(unit: Unit, node: ast.For) -> Iterator[ast.Name]:
    """The loop variables that keep what they were where there is no trip, and of which somebody speaks then."""
    if not any(_elsewhere(unit, node, name) for name in targets(node.target)):
        return
    flow = flow_around(unit, node)
    if trips_of(unit, tuple(streams_of(unit, node.target, node.iter))):
        return
    for part in ast.walk(node.target):
        if isinstance(part, ast.Name) and part.id in flow.live_after(node) & flow.bound_before(node):
            if alone(unit, part.id, function_of(unit, node)):
                yield part
