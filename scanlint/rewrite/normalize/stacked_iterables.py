"""Make the array that a loop goes over before it: a list of arrays is stacked, an enumerated array gets a name."""

from __future__ import annotations

import ast

from scanlint.finding import NOT_APPLICABLE, Edit, Next, Primitive, Rewrite, Step
from scanlint.loops.constant_tables import array_list
from scanlint.loops.jumps import jumps_in
from scanlint.loops.loop import LoopModel
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.snippets import claimed, fresh, plural
from scanlint.rewrite.normalize.exits.counting_while import written_out


def with_name(model: LoopModel) -> Step:
    """`for i, x in enumerate(2 * us)` with a name for what would be made twice: for its rows, and to count them."""
    unit = model.unit
    arrays = [s for s in model.streams if s.kind == "rows" and s.array is not None and _computed(s.array)]
    arrays = [
        s for s in arrays if any(c.counted is s.array and model.used(ast.unparse(c.target)) for c in model.streams)
    ]
    if not arrays:
        return NOT_APPLICABLE
    array, source = arrays[0].array, unit.source
    assert array is not None
    name = fresh(unit.names, _rows_of(arrays[0]), "rows")
    edits = source.ahead(model.node, f"{name} = {source.segment(array)}"), source.put(array, name)
    return Rewrite(edits, "scan", next=(Next(model.node, reported=True),))


def _computed(array: ast.expr) -> bool:
    return any(isinstance(n, ast.Call | ast.BinOp | ast.UnaryOp) for n in ast.walk(array)) and not isinstance(
        array, ast.Subscript
    )


def _rows_of(stream: Stream) -> str:
    return plural(stream.target.id) if isinstance(stream.target, ast.Name) else "rows"


def with_stack(model: LoopModel) -> Step:
    """`for x in (a, b)` over `jnp.stack((a, b))`, with a name where that is counted besides."""
    unit, node = model.unit, model.node
    listed = [s for s in model.streams if s.listed and s.array is not None]
    if not listed:
        return NOT_APPLICABLE
    source = unit.source
    if len(model.streams) == 1 and (trips := _unread(model, listed[0])) is not None:
        assert isinstance(node, ast.For)
        iterable = source.put(node.iter, f"range({trips})")
        return Rewrite((iterable,), "scan", next=(Next(node, reported=True),))
    stack, needed = unit.spell("jax.numpy.stack")
    taken, edits = set(unit.names), list[Edit]()
    for stream in listed:
        array = stream.array
        assert array is not None
        made = array_list(unit, array)
        assert made is not None
        alone = [n for n in unit.every(ast.Name) if isinstance(array, ast.Name) and n.id == array.id]
        if len(alone) == 2:  # made for the sake of this loop
            edits.append(source.put(made, f"{stack}({_closed(source.segment(made))})"))
            continue
        code = f"{stack}({_closed(source.segment(array))})"
        if any(s.counted is array for s in model.streams):
            name = claimed(taken, _rows_of(stream), "rows")
            edits.append(source.ahead(node, f"{name} = {code}"))
            code = name
        edits.append(source.put(array, code))
    left = next(jumps_in(*node.body), None) is not None
    primitive: Primitive = "while_loop" if left else "scan"
    return Rewrite(tuple(edits), primitive, (needed,) if needed else (), (Next(node, reported=True),))


def _unread(model: LoopModel, stream: Stream) -> int | None:
    """How many arrays are in a list that is written into the loop, where no trip reads any of them."""
    target = stream.target
    read = not isinstance(target, ast.Name) or model.used(target.id) or target.id in model.live_targets
    return None if read else written_out(stream.array)


def _closed(code: str) -> str:
    """An expression in brackets of its own: `a, b` has none."""
    node = ast.parse(f"({code})", mode="eval").body
    bare = isinstance(node, ast.Tuple) and node.col_offset == 0
    return f"({code})" if bare else code
