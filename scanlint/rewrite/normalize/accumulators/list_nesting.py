"""A flat list of a grid as a list of its rows: `out.append(y)` in an inner loop, `jnp.concatenate(out)` of the rows."""

from __future__ import annotations

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step
from scanlint.loops.accumulators.branch_appends import APPENDS
from scanlint.loops.accumulators.flat_lists import flattened
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import fresh, singular
from scanlint.rewrite.emit.spelling import Spelling


def with_rows(model: LoopModel) -> Step:
    """The loops with a list of its own for each row, if nothing else is in their way."""
    if not model.obstacles or any(o.code not in APPENDS for o in model.obstacles):
        return NOT_APPLICABLE
    unit, node = model.unit, model.node
    found = flattened(unit, node)
    if found is None:
        return NOT_APPLICABLE
    source = unit.source
    spell = Spelling(unit)

    row = fresh(unit.names, "row", f"{singular(found.name, found.name)}_row", "entries")
    margin, newline = source.margin(found.inner), source.newline
    start, end = Position(found.inner.lineno, 1), source.end(found.inner)
    below = Position(end.line, len(source.lines[end.line - 1].rstrip("\r\n")) + 1)
    head = source.start(found.append)
    edits = [
        Edit(start, start, f"{margin}{row} = []{newline}"),
        Edit(head, Position(head.line, head.column + len(found.name)), row),
        Edit(below, below, f"{newline}{margin}{found.name}.append({spell('jax.numpy.stack')}({row}))"),
    ]
    for call in found.stacks:
        edits.append(Edit(source.start(call.func), source.end(call.func), spell("jax.numpy.concatenate")))
    return Rewrite(tuple(edits), "vmap", spell.imports, (Next(found.inner), Next(node)))
