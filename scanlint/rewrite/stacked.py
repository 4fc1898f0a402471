"""Arrays in a list that a loop goes over, stacked: `for x in (a, b)` becomes `for x in jnp.stack((a, b))`."""

from __future__ import annotations

import ast

from scanlint.analysis.exits import jumps_in
from scanlint.analysis.loops import LoopModel
from scanlint.analysis.tables import array_list
from scanlint.finding import Edit
from scanlint.outcome import Rewrite
from scanlint.rewrite.layout import indent_of
from scanlint.rewrite.leaving import Leaving, shares_lines
from scanlint.rewrite.syntax import fresh
from scanlint.rewrite.words import plural


def with_stack(model: LoopModel) -> Rewrite | None:
    """The loop over one array; where the array is counted besides, it has a name, and is not made twice."""
    unit, node = model.unit, model.node
    listed = [s for s in model.streams if s.listed and s.array is not None]
    if not listed or shares_lines(node):
        return None
    source, leaving = unit.source, Leaving(unit, indent_of(unit), str)
    stack, needed = unit.spell("jax.numpy.stack")
    taken, edits = set(unit.names), list[Edit]()
    for stream in listed:
        array = stream.array
        assert array is not None
        made = array_list(unit, array)
        assert made is not None
        alone = [n for n in unit.every(ast.Name) if isinstance(array, ast.Name) and n.id == array.id]
        if len(alone) == 2:  # made for the sake of this loop
            edits.append(Edit(source.start(made), source.end(made), f"{stack}({_closed(source.segment(made))})"))
            continue
        code = f"{stack}({_closed(source.segment(array))})"
        if any(s.counted is array for s in model.streams):
            name = fresh(taken, plural(stream.target.id) if isinstance(stream.target, ast.Name) else "rows", "rows")
            taken.add(name)
            head = source.start(node)
            edits.append(Edit(head, head, f"{name} = {code}{leaving.newline}{leaving.margin(node, 0)}"))
            code = name
        edits.append(Edit(source.start(array), source.end(array), code))
    left = next(jumps_in(*node.body), None) is not None
    return Rewrite(tuple(edits), "while_loop" if left else "scan", (needed,) if needed else (), again=True)


def _closed(code: str) -> str:
    """An expression in brackets of its own: `a, b` has none."""
    node = ast.parse(f"({code})", mode="eval").body
    bare = isinstance(node, ast.Tuple) and node.col_offset == 0
    return f"({code})" if bare else code
