"""Loops that do nothing with an array but fill it: what a scan stacks by itself, and `vmap` computes at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from scanlint.dataflow.around import defuse_of
from scanlint.loops.loop import LoopModel
from scanlint.loops.rows.collected import Output
from scanlint.loops.rows.filled import NUMPY, Fill, counting, fill_of, fits, is_name, made_full, made_once, whole
from scanlint.loops.rows.lists import mentions
from scanlint.loops.streams import Stream
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.trace.unit import Unit


def buffered(model: LoopModel, *, columns: bool = False) -> LoopModel | None:
    """The same loop with the arrays that it only fills as outputs; None where there are none.

    `columns`: those of which it fills a column on each trip count too, which `vmap` can put there and a scan cannot.
    On the host they may be arrays of NumPy.
    """
    stream = counting(model.unit, model.node, model.streams)
    if stream is None:
        return None
    host, orders = not model.unit.context(model.node).traced, list[list[Output]]([[], [], []])
    for fill in _fills(model):
        axis = fill.axis(stream.target)
        added = fill.op is None or isinstance(fill.op, ast.Add)
        if axis is None or not added or not (host if fill.item else columns if axis else fill.name in model.carried):
            continue
        made = _buffer(model, stream, fill, axis)
        if made is not None:
            orders[1 if fill.item else 2 if axis else 0].append(made)
    buffers = tuple(output for outputs in orders for output in outputs)
    return LoopModel(model.unit, model.node, model.streams, model.starts, buffers) if buffers else None


def _fills(model: LoopModel) -> Iterator[Fill]:
    """What the statements of the body set, each trip once."""
    yield from (fill for statement in model.node.body if (fill := fill_of(statement)) is not None)


def _buffer(model: LoopModel, stream: Stream, fill: Fill, axis: int) -> Output | None:
    """The array that a statement fills, if nothing else touches it up to the end of the loop."""
    unit, node = model.unit, model.node
    initial = made_full(unit, node, model.streams, stream, fill.name, axis)
    if initial is None:
        return None
    known = {*ast.walk(initial), *ast.walk(fill.statement)} - {*ast.walk(fill.element)}
    after, others = defuse_of(unit).after, mentions(unit, node, fill.name, initial)
    if any(use not in known and not after(use, node) for use in others):
        return None
    falling = not stream.plain and stream.counted is None
    output = Output(fill.name, initial, (), fill.statement, fill.element, (), falling, axis=axis)
    if not fill.item:
        return output
    maker = unit.resolve(initial.value.func) if isinstance(initial.value, ast.Call) else None
    dtype = dtype_of(model, output)
    zero = maker in ("numpy.zeros", "numpy.zeros_like")  # what rows may be added to
    if maker not in NUMPY or dtype is None or (fill.op is not None and not zero):
        return None
    return output._replace(numpy=True, dtype=dtype)


def within(model: LoopModel) -> tuple[LoopModel, str] | None:
    """The same for a loop that fills one row of an array, `d.at[i, j].set(...)` for all `j`; with where that row is.

    On the host that may be an array of NumPy, `d[i, j] = ...`.
    """
    stream = counting(model.unit, model.node, model.streams)
    if stream is None or model.last_values or model.live_targets:
        return None
    host = not model.unit.context(model.node).traced
    found = [f for f in _fills(model) if sum(is_name(part, stream.target) for part in f.at) == 1 < len(f.at)]
    found = [fill for fill in found if fill.op is None and (host or not fill.item)]
    if len(found) != 1:
        return None
    fill = found[0]
    used = [n for n in ast.walk(model.node) if isinstance(n, ast.Name) and n.id == fill.name]
    if [*model.carried] != ([] if fill.item else [fill.name]) or len(used) != (1 if fill.item else 2):
        return None
    axis = next(at for at, part in enumerate(fill.at) if is_name(part, stream.target))
    before = [part for at, part in enumerate(fill.at) if at != axis and not whole(part)]
    plain = bool(before) and all(isinstance(part, ast.Name | ast.Constant) for part in before)
    moved = set(model.targets) | binds(*model.node.body)
    if not plain or reads(*before) & moved or any(map(whole, fill.at[:axis])):
        return None
    made = made_once(model.unit, model.flow.function, fill.name)
    if made is None or not fits(model.unit, model.streams, stream, made, axis):
        return None
    row = [ast.unparse(part) if at != axis else ":" for at, part in enumerate(fill.at)]
    while row[-1] == ":":
        row.pop()
    output = Output(fill.name, fill.statement, (), fill.statement, fill.element, (), numpy=fill.item)
    return LoopModel(model.unit, model.node, model.streams, model.starts, (output,)), ", ".join(row)


def in_order(model: LoopModel) -> LoopModel | None:
    """The same loop from its first row to its last, if its trips need nothing from each other; None where unclear."""
    if any(s.step is not None for s in model.streams):
        return None
    streams = tuple(replace(s, reverse=False) for s in model.streams)
    buffers = tuple(b._replace(falling=False) for b in model.buffers)
    return LoopModel(model.unit, model.node, streams, model.starts, buffers)


def dtype_of(model: LoopModel, output: Output) -> str | None:
    """What the dtype of an array is when it is made, as source; None where that is not written down."""
    made = output.initial.value if isinstance(output.initial, ast.Assign) else None
    if not isinstance(made, ast.Call):
        return None
    code, name = model.unit.source.segment, (model.unit.resolve(made.func) or "").rpartition(".")[2]
    given = made.args[2 if name.startswith("full") else 1 :]
    given += [k.value for k in made.keywords if k.arg == "dtype"]
    if given:
        return code(given[0])
    if name.endswith("_like"):
        alike, closed = made.args[0], ast.Name | ast.Constant | ast.Attribute | ast.Call | ast.Subscript
        return f"{code(alike)}.dtype" if isinstance(alike, closed) else f"({code(alike)}).dtype"
    if name == "full":
        return "float" if len(made.args) == 2 and _inexact(model.unit, made.args[1]) else None
    return "float"


def _inexact(unit: Unit, filling: ast.expr) -> bool:
    """An array is filled with a float: a literal, or `np.nan`."""
    inner = filling.operand if isinstance(filling, ast.UnaryOp) else filling
    named = (unit.resolve(inner) or "").rpartition(".")[2] in ("nan", "inf")
    return named or (isinstance(inner, ast.Constant) and isinstance(inner.value, float))


def writes_rows(model: LoopModel) -> bool:
    """All that goes from trip to trip are arrays that get row `i` written, which no trip reads."""
    match model.streams:
        case (Stream(kind="range", target=ast.Name() as index),) if model.carried:
            pass
        case _:
            return False
    if model.last_values or model.obstacles:
        return False
    written = [fill for fill in _fills(model) if not fill.item and is_name(fill.at[0], index)]
    if sorted(fill.name for fill in written) != sorted(model.carried):
        return False
    own = {fill.statement for fill in written}
    rest: list[ast.AST] = [s for s in model.node.body if s not in own]
    rest += [part for fill in written for part in (*fill.at, fill.element)]
    return not reads(*rest) & set(model.carried) and any(_reads_row(model.unit, part, index) for part in rest)


def _reads_row(unit: Unit, part: ast.AST, index: ast.Name) -> bool:
    for node in ast.walk(part):
        match node:
            case ast.Subscript(value=array, slice=at, ctx=ast.Load()):
                first = at.elts[0] if isinstance(at, ast.Tuple) and at.elts else at
                known = unit.value(array)
                if is_name(first, index) and known.container is None and not known.static:
                    if index.id not in targets(array):
                        return True
    return False
