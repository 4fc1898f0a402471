"""`ys.append(f(ys[-1]))` as a value that goes from trip to trip: `y = f(y)` and `ys.append(y)`."""

from __future__ import annotations

import ast

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Position, Rewrite, Step, Withheld
from scanlint.loops.accumulators.read_back_lists import ReadBack
from scanlint.loops.loop import LoopModel
from scanlint.rewrite.emit.snippets import brackets, fresh, singular
from scanlint.syntax.bindings import binds, reads


def without_read_back(model: LoopModel) -> Step:
    """The loop with a name for the last element of a list, if that is all that is in its way."""
    node, unit, found = model.node, model.unit, model.read_back
    if found is None:
        return NOT_APPLICABLE
    if changed := sorted(reads(*found.lasts) & binds(node)):
        what = f"what `{found.name}` starts with is written with `{changed[0]}`, which the loop rebinds"
        return Withheld("list-used-otherwise", f"{what} (line {node.lineno})")
    source = unit.source
    alias = _alias(model, found)
    names = [alias[1]] if alias is not None else _names(unit.names, found)
    edits = [
        Edit(source.start(place), source.end(place), names[lag - 1])
        for place, lag in zip(found.places, found.lags, strict=True)
        if alias is None or place is not alias[0].value
    ]
    if alias is not None:
        edits.append(Edit(Position(alias[0].lineno, 1), Position(alias[0].lineno + 1, 1), ""))
    if found.kept is None:
        start, element = source.start(found.append), source.start(found.element)
        head = source.lines[start.line - 1][start.column - 1 : element.column - 1]
        if start.line != element.line:
            return Withheld("layout", f"`{found.name}` is appended to over several lines (line {start.line})")
        tail = source.segment(found.append)[len(head) + len(source.segment(found.element)) :]
        opened, closed = brackets(found.element)
        older = "".join(f", {name}" for name in names[:-1])
        again = f"{closed}{older}{source.newline}{source.margin(found.append)}{head}{names[0]}{tail.strip()}"
        edits += [
            Edit(start, element, f"{', '.join(names)} = {opened}"),
            Edit(source.end(found.element), source.end(found.append), again),
        ]
    above = Position(node.lineno, 1)
    lasts = ", ".join(source.segment(last) for last in found.lasts)
    starts = frozenset(model.starts)
    if (initial := found.named) is not None:
        one = names[0] if singular(found.name, "") else fresh({*unit.names, *names}, "first")
        opened, closed = brackets(found.lasts[0])
        code = f"{one} = {opened}{lasts}{closed}{source.newline}{source.margin(initial)}{found.name} = [{one}]"
        edits.append(Edit(source.start(initial), source.end(initial), code))
        lasts = one
    if lasts != names[0]:
        edits.append(Edit(above, above, f"{source.margin(node)}{', '.join(names)} = {lasts}{source.newline}"))
        starts |= frozenset(names)
    return Rewrite(tuple(edits), "scan", next=(Next(node, starts),))


def _alias(model: LoopModel, found: ReadBack) -> tuple[ast.Assign, str] | None:
    """`y = ys[-1]` at the top of a trip, whose name may have the last element from trip to trip."""
    node, first = model.node, model.node.body[0]
    if found.kept is not None or len(found.lasts) > 1 or found.append not in node.body:
        return None
    match first:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value in found.places:
            rest, later = node.body[1:], node.body[node.body.index(found.append) + 1 :]
            outside = model.flow.bound_before[node] | model.flow.live_after[node]
            line = model.unit.source.lines[first.lineno - 1]
            alone = line.strip() == model.unit.source.segment(first) and len(rest) > 0
            if alone and name not in binds(*rest) | reads(*later) | outside:
                return first, name
    return None


def _names(taken: frozenset[str] | set[str], found: ReadBack) -> list[str]:
    """Names for the last elements, the very last one first: `last`, or `y_1` and `y_2` where two are read."""
    if found.kept is not None:
        return [found.kept]
    if len(found.lasts) == 1:
        return [fresh(taken, singular(found.name, "last"), f"last_{singular(found.name, found.name)}")]
    return numbered(taken, singular(found.name, found.name), len(found.lasts))


def numbered(taken: frozenset[str] | set[str], stem: str, count: int) -> list[str]:
    """Names for so many last elements: `y_1`, `y_2`."""
    clash = any(f"{stem}_{lag}" in taken for lag in range(1, count + 1))
    return [fresh(taken, f"{stem}_back_{lag}" if clash else f"{stem}_{lag}") for lag in range(1, count + 1)]
