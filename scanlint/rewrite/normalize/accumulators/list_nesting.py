"""A flat list of a grid as a list of its rows: `out.append(y)` in an inner loop, `jnp.concatenate(out)` of the rows."""

from __future__ import annotations

import ast

from scanlint.dataflow.around import defuse_of
from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.branch_appends import APPENDS
from scanlint.loops.rows.lists import ListRow, list_rows
from scanlint.loops.rows.stacking import STACKS
from scanlint.rewrite.emit.snippets import fresh, singular
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.syntax.bindings import binds, reads


def with_rows(model: LoopModel) -> Step:
    """The loops with a list of its own for each row, if nothing else is in their way.

    Nothing but arrays are made of the list, to which each trip adds as many elements.
    """
    unit, node = model.unit, model.node
    if not model.obstacles or any(o.code not in APPENDS for o in model.obstacles):
        return NOT_APPLICABLE
    if any(isinstance(n, ast.Break | ast.Continue) for n in ast.walk(node)):
        return NOT_APPLICABLE
    for row in list_rows(unit, node):
        inner, stacks = _inner(model, row), _stacks(model, row)
        if inner is not None and stacks:
            return _nested(model, row, inner, stacks)
    return NOT_APPLICABLE


def _inner(model: LoopModel, row: ListRow) -> ast.For | None:
    """The loop of as many trips each time that appends to an empty list."""
    append = row.writes[0].statement
    inner, plain = model.unit.parents.get(append), isinstance(append, ast.Expr) and not row.writes[0].front
    if not plain or row.first or row.inside or len(row.writes) > 1 or not isinstance(inner, ast.For):
        return None
    moving = binds(*model.node.body) | frozenset(model.targets)
    steady = append in inner.body and not inner.orelse and not reads(inner.iter) & moving
    return inner if steady and inner in model.node.body else None


def _stacks(model: LoopModel, row: ListRow) -> list[ast.Call]:
    """All other reads of a list, if they are calls after the loop that stack it along its first axis."""
    unit, after = model.unit, defuse_of(model.unit).after
    calls = [(use, unit.parents.get(use)) for use in row.outside]
    found = [c for use, c in calls if isinstance(c, ast.Call) and c.args == [use] and not c.keywords]
    late = all(after(use, model.node) for use in row.outside)
    return found if late and len(found) == len(calls) and all(unit.resolve(c.func) in STACKS for c in found) else []


def _nested(model: LoopModel, row: ListRow, inner: ast.For, stacks: list[ast.Call]) -> Rewrite:
    unit, source, spell = model.unit, model.unit.source, Spelling(model.unit)
    name = fresh(unit.names, "row", f"{singular(row.name, row.name)}_row", "entries")
    head = source.start(row.writes[0].statement)
    edits = [
        source.ahead(inner, f"{name} = []"),
        Edit(head, Position(head.line, head.column + len(row.name)), name),
        source.behind(inner, f"{row.name}.append({spell('jax.numpy.stack')}({name}))"),
    ]
    edits += [source.put(call.func, spell("jax.numpy.concatenate")) for call in stacks]
    return Rewrite(tuple(edits), "vmap", spell.imports, (Next(inner), Next(model.node)))
