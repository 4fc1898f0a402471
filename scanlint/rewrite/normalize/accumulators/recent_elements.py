"""The last elements of a list as variables: `ys.append(f(ys[-1]))` as `y = f(y)`, and `ys.append(y)` if it is kept."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step, Withheld
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.lists import Added, home
from scanlint.loops.rows.recent import Recent, variable
from scanlint.rewrite.emit.snippets import brackets, fresh, singular
from scanlint.syntax.bindings import binds, reads
from scanlint.syntax.source import Source


def without_list(model: LoopModel) -> Step:
    """The loop with a variable for a list of which only the last element is read."""
    node, unit = model.node, model.unit
    found = variable(unit, node, model.flow)
    if found is None:
        return NOT_APPLICABLE
    if found.kept is not None and next(jumps_in(*node.body[: node.body.index(found.append)]), None) is not None:
        found = found._replace(kept=None)  # a trip may end with the name bound and nothing appended
    source, statement = unit.source, found.made
    names, alias = _names(model, found)
    ways = [f"{opened}{source.segment(e)}{closed}" for e in found.lasts for opened, closed in [brackets(e)]]
    code = f"{', '.join(names)} = {', '.join(ways)}"
    edits = [source.put(statement, code), *_read(source, found, names, alias)]
    for write in found.writes:
        edits += [source.drop(write.statement)] if found.kept else _assigned(source, write, names)
    block = unit.block(node)
    said = any("#" in source.lines[number - 1] for number in (statement.lineno - 1, statement.lineno))
    above = set(names) if block[block.index(node) - 1] is statement and not said else set[str]()
    return Rewrite(tuple(edits), "scan", next=(Next(node, frozenset({*model.starts, *above})),))


def without_read_back(model: LoopModel) -> Step:
    """The loop with names for the last elements of a list, if that is all that is in its way."""
    node, unit, found = model.node, model.unit, model.read_back
    if found is None:
        return NOT_APPLICABLE
    if changed := sorted(reads(*found.lasts) & binds(node)):
        what = f"what `{found.name}` starts with is written with `{changed[0]}`, which the loop rebinds"
        return Withheld("list-used-otherwise", f"{what} (line {node.lineno})")
    source, write = unit.source, found.writes[0]
    names, alias = _names(model, found)
    edits = _read(source, found, names, alias)
    if found.kept is None:
        end = source.end(write.statement)
        edits += _assigned(source, write, names)
        edits.append(
            Edit(end, end, f"{source.newline}{source.margin(write.statement)}{_again(source, write, names[0])}")
        )
    lasts = ", ".join(source.segment(last) for last in found.lasts)
    starts = frozenset(model.starts)
    if (initial := found.named) is not None:
        one = names[0] if singular(found.name, "") else fresh({*unit.names, *names}, "first")
        opened, closed = brackets(found.lasts[0])
        code = f"{one} = {opened}{lasts}{closed}{source.newline}{source.margin(initial)}{found.name} = [{one}]"
        edits.append(source.put(initial, code))
        lasts = one
    if lasts != names[0]:
        edits.append(source.ahead(node, f"{', '.join(names)} = {lasts}"))
        starts |= frozenset(names)
    return Rewrite(tuple(edits), "scan", next=(Next(node, starts),))


def _read(source: Source, found: Recent, names: Sequence[str], alias: ast.Assign | None) -> list[Edit]:
    """The names in the places that read an element; the statement that did nothing else is gone."""
    places = [(p, lag) for p, lag in found.places.items() if alias is None or p is not alias.value]
    edits = [source.put(place, names[lag - 1]) for place, lag in places]
    return [*edits, *([source.drop(alias)] if alias is not None else [])]


def _assigned(source: Source, write: Added, names: Sequence[str]) -> list[Edit]:
    """`ys.append(y)` as `y_1, y_2 = y, y_1`."""
    append, element = write.statement, write.element
    first, last, older = source.start(element), source.end(append), "".join(f", {n}" for n in names[:-1])
    if append.lineno == append.end_lineno:
        end = source.end(element)
        return [Edit(source.start(append), first, f"{', '.join(names)} = "), Edit(end, last, older)]
    opening = source.lines[append.lineno - 1].rstrip()
    first = Position(append.lineno, len(opening) + 1) if opening.endswith(("(", "[")) else first
    return [
        Edit(source.start(append), first, f"{', '.join(names)} = ("),
        Edit(last._replace(column=last.column - 1), last, f"){older}"),
    ]


def _again(source: Source, write: Added, name: str) -> str:
    """The statement that adds an element, with a name for that."""
    if isinstance(write.statement, ast.Expr):
        return f"{write.name}.append({name})"
    head = source.between(source.start(write.statement), source.start(write.element))
    return f"{head}{name}{source.between(source.end(write.element), source.end(write.statement))}"


def _names(model: LoopModel, found: Recent) -> tuple[list[str], ast.Assign | None]:
    """Names for the variables, the newest first; the statement in the loop by which one is named already."""
    taken, one = model.unit.names, singular(found.name, "")
    if found.kept is not None:
        return [found.kept], None
    if len(found.lasts) > 1:
        return _numbered(taken, one or found.name, len(found.lasts)), None
    if (alias := _alias(model, found)) is not None:
        return [alias[1]], alias[0]
    if found.only:
        return [fresh(taken, one) if one else found.name], None
    return [fresh(taken, one or "last", f"last_{one or found.name}")], None


def _numbered(taken: frozenset[str], stem: str, count: int) -> list[str]:
    """Names for so many last elements: `y_1`, `y_2`."""
    clash = any(f"{stem}_{lag}" in taken for lag in range(1, count + 1))
    return [fresh(taken, f"{stem}_back_{lag}" if clash else f"{stem}_{lag}") for lag in range(1, count + 1)]


def _alias(model: LoopModel, found: Recent) -> tuple[ast.Assign, str] | None:
    """`y = ys[-1]` at the top of a trip, whose name may be that of the variable: nothing reads it past the append."""
    node, source, flow = model.node, model.unit.source, model.flow
    match node.body:
        case [ast.Assign(targets=[ast.Name(id=name) as target], value=value) as first, _, *_] if value in found.places:
            pass
        case _:
            return None
    if len(found.writes) > 1 or found.append not in node.body:
        return None
    early = {n for s in node.body[1 : node.body.index(found.append) + 1] for n in ast.walk(s)}
    scope = home(model.unit, node) if found.only else node
    uses = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and n.id == name and n is not target]
    own = all(n in early and isinstance(n.ctx, ast.Load) for n in uses)
    own = own and (found.only or name not in flow.bound_before(node) | flow.live_after(node))
    return (first, name) if own and source.lines[first.lineno - 1].strip() == source.segment(first) else None
