"""`ys = [x]`, `ys.append(f(ys[-1]))` and `ys[-1]` as a variable: `y = x`, `y = f(y)` and `y`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step
from scanlint.loops.accumulators.last_element_lists import Newest, home, newest
from scanlint.loops.accumulators.list_buffers import added
from scanlint.loops.accumulators.read_back_lists import kept_in
from scanlint.loops.exits import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import brackets, fresh, singular
from scanlint.rewrite.normalize.accumulators.read_back import numbered
from scanlint.syntax.source import Source


def without_list(model: LoopModel) -> Step:
    """The loop with a variable for a list of which only the last element is read."""
    node, unit = model.node, model.unit
    found = newest(unit, node)
    if found is None:
        return NOT_APPLICABLE
    source = unit.source
    statement = unit.parents[found.made]
    assert isinstance(statement, ast.Assign)
    names, alias, bound = _names(model, found)
    ways = [f"{opened}{source.segment(e)}{closed}" for e in found.lasts for opened, closed in [brackets(e)]]
    code = f"{', '.join(names)} = {', '.join(ways)}"
    edits = [Edit(source.start(statement), source.end(statement), code)]
    if alias is not None:
        edits.append(Edit(Position(alias.lineno, 1), Position(alias.lineno + 1, 1), ""))
    if bound:
        only = found.appends[0]
        edits.append(Edit(Position(only.lineno, 1), Position((only.end_lineno or only.lineno) + 1, 1), ""))
    edits += [
        Edit(source.start(place), source.end(place), names[lag - 1])
        for place, lag in zip(found.reads, found.lags, strict=True)
        if alias is None or place is not alias.value
    ]
    edits += [edit for append in found.appends if not bound for edit in _assigned(source, append, names)]
    block = unit.block(node)
    plain = not any("#" in source.lines[number - 1] for number in (statement.lineno - 1, statement.lineno))
    above = set(names) if block[block.index(node) - 1] is statement and plain else set[str]()
    return Rewrite(tuple(edits), "scan", next=(Next(node, frozenset({*model.starts, *above})),))


def _assigned(source: Source, append: ast.stmt, names: Sequence[str]) -> list[Edit]:
    """`ys.append(y)` as `y_1, y_2 = y, y_1`."""
    one_more = added(append)
    assert one_more is not None
    first, last, older = source.start(one_more.element), source.end(append), "".join(f", {n}" for n in names[:-1])
    if append.lineno == append.end_lineno:
        end = source.end(one_more.element)
        return [Edit(source.start(append), first, f"{', '.join(names)} = "), Edit(end, last, older)]
    opening = source.lines[append.lineno - 1].rstrip()
    first = Position(append.lineno, len(opening) + 1) if opening.endswith(("(", "[")) else first
    return [
        Edit(source.start(append), first, f"{', '.join(names)} = ("),
        Edit(last._replace(column=last.column - 1), last, f"){older}"),
    ]


def _names(model: LoopModel, found: Newest) -> tuple[list[str], ast.Assign | None, str | None]:
    """Names for the variables, the newest first; of one, the statement or the name in the loop that it is named by."""
    taken, one = model.unit.names, singular(found.name, "")
    if len(found.lasts) > 1:
        return numbered(taken, one or found.name, len(found.lasts)), None, None
    if bound := _bound(model, found):
        return [bound], None, bound
    if (alias := _alias(model, found)) is not None:
        return [alias[1]], alias[0], None
    return [fresh(taken, one) if one else found.name], None, None


def _bound(model: LoopModel, found: Newest) -> str | None:
    """The name that each trip binds what it appends to, if that name may be the variable."""
    body, only = model.node.body, found.appends[0]
    one_more = added(only)
    if one_more is None or len(found.appends) > 1 or only not in body or not body.index(only):
        return None
    if "#" in model.unit.source.lines[only.lineno - 1]:
        return None  # its words would be lost with it
    if next(jumps_in(*body[: body.index(only)]), None) is not None:
        return None  # a trip may end with the name bound and nothing appended
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
    uses = [
        n
        for n in ast.walk(home(model.unit, model.node))
        if isinstance(n, ast.Name) and n.id == name and n is not target
    ]
    own = all(n in early and isinstance(n.ctx, ast.Load) for n in uses)
    return (first, name) if own and source.lines[first.lineno - 1].strip() == source.segment(first) else None
