"""`ys.append(f(ys[-1]))` as a value that goes from trip to trip: `y = f(y)` and `ys.append(y)`."""

from __future__ import annotations

from scanlint.analysis.flow import binds, reads
from scanlint.analysis.loops import LoopModel
from scanlint.finding import Edit, Position
from scanlint.outcome import Resume, Rewrite
from scanlint.rewrite.layout import indent_of
from scanlint.rewrite.leaving import Leaving, shares_lines
from scanlint.rewrite.syntax import fresh
from scanlint.rewrite.words import brackets, singular


def without_read_back(model: LoopModel) -> Rewrite | None:
    """The loop with a name for the last element of a list, if that is all that is in its way."""
    node, unit, found = model.node, model.unit, model.read_back
    if found is None or shares_lines(node) or reads(found.last) & binds(node):
        return None
    source, leaving = unit.source, Leaving(unit, indent_of(unit), str)
    item = singular(found.name, "last")
    name = found.kept or fresh(unit.names, item, f"last_{singular(found.name, found.name)}")
    edits = [Edit(source.start(place), source.end(place), name) for place in found.places]
    if found.kept is None:
        start, element = source.start(found.append), source.start(found.element)
        head = source.lines[start.line - 1][start.column - 1 : element.column - 1]
        if start.line != element.line:
            return None
        tail = source.segment(found.append)[len(head) + len(source.segment(found.element)) :]
        opened, closed = brackets(found.element)
        again = f"{closed}{leaving.newline}{leaving.margin(found.append, 0)}{head}{name}{tail.strip()}"
        edits += [
            Edit(start, element, f"{name} = {opened}"),
            Edit(source.end(found.element), source.end(found.append), again),
        ]
    above = Position(node.lineno, 1)
    first = f"{leaving.margin(node, 0)}{name} = {source.segment(found.last)}{leaving.newline}"
    line = node.lineno - getattr(unit.node, "lineno", 0) + 1
    place = Resume(line, source.start(node).column, frozenset({*model.starts, name}))
    return Rewrite((Edit(above, above, first), *edits), "scan", then=(place,))
