"""`ys = [x]`, `ys.append(f(ys[-1]))` and `ys[-1]` as a variable: `y = x`, `y = f(y)` and `y`."""

from __future__ import annotations

import ast

from scanlint.analysis.lists import added
from scanlint.analysis.loops import LoopModel
from scanlint.analysis.newest import Newest, newest
from scanlint.analysis.readback import kept_in
from scanlint.finding import Edit, Position
from scanlint.outcome import Resume, Rewrite
from scanlint.rewrite.leaving import shares_lines
from scanlint.rewrite.syntax import fresh
from scanlint.rewrite.words import brackets, singular


def without_list(model: LoopModel) -> Rewrite | None:
    """The loop with a variable for a list of which only the last element is read."""
    node, unit = model.node, model.unit
    found = newest(unit, node)
    if found is None or shares_lines(node):
        return None
    source = unit.source
    bound, alias = _bound(model, found), _alias(model, found)
    one = singular(found.name, "")
    name = bound or (alias[1] if alias is not None else fresh(unit.names, one) if one else found.name)
    alias = None if bound else alias
    opened, closed = brackets(found.first)
    edits = [Edit(source.start(found.made), source.end(found.made), f"{opened}{source.segment(found.first)}{closed}")]
    if name != found.name:
        target = unit.parents[found.made]
        edits.append(Edit(source.start(target), source.start(found.made), f"{name} = "))
    if alias is not None:
        edits.append(Edit(Position(alias[0].lineno, 1), Position(alias[0].lineno + 1, 1), ""))
    if bound:
        only = found.appends[0]
        edits.append(Edit(Position(only.lineno, 1), Position((only.end_lineno or only.lineno) + 1, 1), ""))
    kept = (place for place in found.reads if alias is None or place is not alias[0].value)
    edits += [Edit(source.start(place), source.end(place), name) for place in kept]
    for statement in found.appends if not bound else ():
        one_more = added(statement)
        assert one_more is not None
        first, last = source.start(one_more.element), source.end(statement)
        if statement.lineno == statement.end_lineno:
            edits += [
                Edit(source.start(statement), first, f"{name} = "),
                Edit(source.end(one_more.element), last, ""),
            ]
            continue
        opening = source.lines[statement.lineno - 1].rstrip()
        first = Position(statement.lineno, len(opening) + 1) if opening.endswith(("(", "[")) else first
        edits += [
            Edit(source.start(statement), first, f"{name} = ("),
            Edit(last._replace(column=last.column - 1), last, ")"),
        ]
    lines = (found.made.end_lineno or found.made.lineno) - found.made.lineno
    line = node.lineno - getattr(unit.node, "lineno", 0) - lines + source.segment(found.first).count("\n")
    block = unit.block(node)
    before = block[block.index(node) - 1]
    plain = not any("#" in source.lines[number - 1] for number in (before.lineno - 1, before.lineno))
    above = {name} if before is unit.parents[found.made] and plain else set[str]()
    place = Resume(line, source.start(node).column, frozenset({*model.starts, *above}))
    return Rewrite(tuple(edits), "scan", then=(place,))


def _bound(model: LoopModel, found: Newest) -> str | None:
    """The name that each trip binds what it appends to, if that name may be the variable."""
    body, only = model.node.body, found.appends[0]
    one_more = added(only)
    if one_more is None or len(found.appends) > 1 or only not in body or not body.index(only):
        return None
    inside = {n for s in body for n in ast.walk(s)}
    return kept_in(model.node, model.flow, one_more.element, [place for place in found.reads if place in inside])


def _alias(model: LoopModel, found: Newest) -> tuple[ast.Assign, str] | None:
    """`y = ys[-1]` at the top of a trip, whose name may be that of the variable: nothing reads it past the append."""
    body, source = model.node.body, model.unit.source
    match body:
        case [ast.Assign(targets=[ast.Name(id=name) as target], value=value) as first, _, *_] if value in found.reads:
            pass
        case _:
            return None
    if len(found.appends) > 1 or found.appends[0] not in body:
        return None
    early = {n for s in body[1 : body.index(found.appends[0]) + 1] for n in ast.walk(s)}
    uses = [n for n in ast.walk(model.unit.node) if isinstance(n, ast.Name) and n.id == name and n is not target]
    own = all(n in early and isinstance(n.ctx, ast.Load) for n in uses)
    return (first, name) if own and source.lines[first.lineno - 1].strip() == source.segment(first) else None
