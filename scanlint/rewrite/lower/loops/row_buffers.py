"""Arrays made full size before a loop that sets row `i` of them on trip `i`: what a scan stacks by itself."""

from __future__ import annotations

import ast
from dataclasses import replace

from scanlint.loops.accumulators.collected_lists import Output
from scanlint.loops.loop import LoopModel
from scanlint.loops.sizes.extents import SHAPED
from scanlint.loops.sizes.shape_reads import axis_read
from scanlint.loops.streams import Stream
from scanlint.rewrite.emit.snippets import atom
from scanlint.rewrite.lower.loops.reverse_ranges import limits
from scanlint.syntax.bindings import binds, reads
from scanlint.trace.unit import Unit

_ALIKE = ("zeros_like", "ones_like", "empty_like", "full_like")
ALIKE = frozenset(f"{library}.{name}" for library in ("jax.numpy", "numpy") for name in _ALIKE)
NUMPY = frozenset(f"numpy.{name}" for name in ("zeros", "ones", "empty", "full", *_ALIKE))
MADE = SHAPED | NUMPY


def buffered(model: LoopModel, *, columns: bool = False) -> LoopModel | None:
    """The same loop with the arrays that it only fills as outputs; None where there are none.

    `columns`: those of which it fills a column on each trip count too, which `vmap` can put there and a scan cannot.
    """
    stream = next((s for s in model.streams if s.kind == "range"), None)
    if not isinstance(model.node, ast.For) or stream is None or not _steady(model, stream):
        return None
    stores = [(name, s, element) for s in model.node.body for name, element in _stores(s, stream)]
    found = [_buffer(model, stream, *store) for store in stores if store[0] in model.carried]
    if not model.unit.context(model.node).traced:
        placed = [(store, s) for s in model.node.body for store in _placed(s, stream)]
        found += [_numpy_buffer(model, stream, name, s, element, axis) for (name, element, axis), s in placed]
    if columns:
        turned = [(c, s) for s in model.node.body for c in _columns(s, stream)]
        found += [_column(model, stream, name, s, element, axis) for (name, element, axis), s in turned]
    buffers = tuple(output for output in found if output is not None)
    if not buffers:
        return None
    return LoopModel(model.unit, model.node, model.streams, model.starts, buffers)


def within(model: LoopModel) -> tuple[LoopModel, str] | None:
    """The same for a loop that fills one row of an array, `d.at[i, j].set(...)` for all `j`; with where that row is.

    On the host that may be an array of NumPy, `d[i, j] = ...`.
    """
    stream = next((s for s in model.streams if s.kind == "range"), None)
    if not isinstance(model.node, ast.For) or stream is None or not _steady(model, stream):
        return None
    if model.last_values or model.live_targets:
        return None
    host = not model.unit.context(model.node).traced
    found = [(s, *place) for s in model.node.body if (place := _places(s, stream, host)) is not None]
    if len(found) != 1:
        return None
    store, name, parts, element, numpy = found[0]
    used = [n for n in ast.walk(model.node) if isinstance(n, ast.Name) and n.id == name]
    if [*model.carried] != ([] if numpy else [name]):
        return None
    axis = next(at for at, part in enumerate(parts) if _is(part, stream.target))
    others = [part for at, part in enumerate(parts) if at != axis]
    moved = set(model.targets) | binds(*model.node.body)
    before = [part for part in others if not _whole(part)]
    if (
        len(used) != (1 if numpy else 2)
        or reads(*before) & moved
        or any(_whole(part) for part in parts[:axis])
        or not before
    ):
        return None
    if any(not isinstance(part, ast.Name | ast.Constant) for part in before) or not _as_wide(
        model, name, axis, stream, NUMPY if numpy else SHAPED
    ):
        return None
    row = [ast.unparse(part) if at != axis else ":" for at, part in enumerate(parts)]
    while row[-1] == ":":
        row.pop()
    output = Output(name, store, (), store, element, (), numpy=numpy)
    return LoopModel(model.unit, model.node, model.streams, model.starts, (output,)), ", ".join(row)


def _places(statement: ast.stmt, stream: Stream, host: bool) -> tuple[str, list[ast.expr], ast.expr, bool] | None:
    """`d = d.at[i, j].set(y)`: the array, where, what is set there, and whether NumPy's `d[i, j] = y` does it.

    The loop variable is one of the indices.
    """
    match statement, _at_set(statement):
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=parts))], value=element
        ), None if host and sum(_is(part, stream.target) for part in parts) == 1:
            return name, parts, element, True
        case _, (name, ast.Tuple(elts=parts), element) if sum(_is(part, stream.target) for part in parts) == 1:
            return name, parts, element, False
    return None


def _is(part: ast.expr, target: ast.expr) -> bool:
    return isinstance(part, ast.Name) and isinstance(target, ast.Name) and part.id == target.id


def _whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and ast.unparse(part) == ":"


def _as_wide(model: LoopModel, name: str, axis: int, stream: Stream, makers: frozenset[str]) -> bool:
    """Whether an array is as long along an axis as the loop trips: it is made so, and only set since."""
    unit, count = model.unit, stream.counted or _count(model, stream)
    made = []
    for part in ast.walk(model.flow.function):
        match part:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                if not _keeps_shape(value, name):
                    made.append(value)
    stores = [n for n in ast.walk(model.flow.function) if isinstance(n, ast.Name) and n.id == name]
    plain = all(isinstance(unit.parents[n], ast.Assign) for n in stores if not isinstance(n.ctx, ast.Load))
    match made:
        case [ast.Call(func=function, args=[ast.Tuple(elts=shape) | ast.List(elts=shape), *_])] if count is not None:
            known = axis < len(shape) and unit.resolve(function) in makers
            return plain and known and _as_many(model, stream, shape[axis])
        case [ast.Call(func=function, args=[array, *_])] if count is not None and unit.resolve(function) in ALIKE:
            return plain and _trips(model, stream) == (ast.unparse(array), axis)
        case [ast.Call(func=function, args=[ast.Attribute(value=array, attr="shape"), *_])] if count is not None:
            known = unit.resolve(function) in makers
            return plain and known and _trips(model, stream) == (ast.unparse(array), axis)
    return False


def _keeps_shape(value: ast.expr, name: str) -> bool:
    """`d.at[...].set(...)`, or another update of the kind."""
    match value:
        case ast.Call(
            func=ast.Attribute(value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=array), attr="at")))
        ):
            return array == name
    return False


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
        return f"{atom(code(made.args[0]))}.dtype"
    if name == "full":
        return "float" if len(made.args) == 2 and _inexact(model.unit, made.args[1]) else None
    return "float"


def _inexact(unit: Unit, filling: ast.expr) -> bool:
    """Whether an array is filled with a float: a literal, or `np.nan`."""
    inner = filling.operand if isinstance(filling, ast.UnaryOp) else filling
    named = (unit.resolve(inner) or "").rpartition(".")[2] in ("nan", "inf")
    return named or (isinstance(inner, ast.Constant) and isinstance(inner.value, float))


def _steady(model: LoopModel, stream: Stream) -> bool:
    """Whether a range counts from 0 by 1, or down to 0, and nothing ends it early or moves its index."""
    alone = len(model.streams) == 1 and _count(model, stream) is not None
    counts = stream.counted is not None and stream.start is None and not stream.reverse
    return (
        (alone or counts) and isinstance(stream.target, ast.Name) and not set(model.targets) & binds(*model.node.body)
    )


def _count(model: LoopModel, stream: Stream) -> ast.expr | None:
    """The number before which a range ends, or begins, that goes from 0, or down to it."""
    if stream.plain:
        return stream.stop
    between = limits(model, stream)
    if between is None or between[0] != "0":
        return None
    return ast.parse(between[1], mode="eval").body if stream.step is not None else stream.stop


def _stores(statement: ast.stmt, stream: Stream) -> list[tuple[str, ast.expr]]:
    """`ys = ys.at[i].set(y)`: the array, and what its row becomes."""
    match _at_set(statement), stream.target:
        case (name, at, element), ast.Name(id=index) if _whole_row(at, index):
            return [(name, element)]
    return []


def _at_set(statement: ast.stmt) -> tuple[str, ast.expr, ast.expr] | None:
    """`ys = ys.at[...].set(y)`: the array, where it is set, and what to."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Attribute(value=ast.Name(id=array), attr="at"), slice=at), attr="set"
                ),
                args=[element],
                keywords=[],
            ),
        ) if name == array:
            return name, at, element
    return None


def _columns(statement: ast.stmt, stream: Stream) -> list[tuple[str, ast.expr, int]]:
    """`ys = ys.at[:, i].set(y)`: the array, what its column becomes, and the axis."""
    found = _at_set(statement)
    if found is None or not isinstance(stream.target, ast.Name):
        return []
    name, at, element = found
    axis = _whole_axis(at, stream.target.id)
    return [(name, element, axis)] if axis else []


def _placed(statement: ast.stmt, stream: Stream) -> list[tuple[str, ast.expr, int]]:
    """`ys[i] = y`, or `ys[:, i] += y`: the array, what its row becomes, or grows by, and the axis."""
    match statement, stream.target:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=at)], value=element)
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=at), op=ast.Add(), value=element),
            ast.Name(id=index),
        ) if (axis := _whole_axis(at, index)) is not None:
            return [(name, element, axis)]
    return []


def _whole_axis(at: ast.expr, index: str) -> int | None:
    """The axis that an index counts, where all of every other one is meant."""
    parts = at.elts if isinstance(at, ast.Tuple) else [at]
    found = [k for k, part in enumerate(parts) if isinstance(part, ast.Name) and part.id == index]
    return found[0] if len(found) == 1 and all(_whole(p) for k, p in enumerate(parts) if k != found[0]) else None


def _numpy_buffer(
    model: LoopModel, stream: Stream, name: str, store: ast.stmt, element: ast.expr, axis: int
) -> Output | None:
    """A NumPy array that gets a row per trip; one that its rows are added to is zero before."""
    found = _buffer(model, stream, name, store, element, axis)
    if found is None or not isinstance(found.initial, ast.Assign) or not isinstance(found.initial.value, ast.Call):
        return None
    made = model.unit.resolve(found.initial.value.func)
    zero = made in ("numpy.zeros", "numpy.zeros_like")
    dtype = dtype_of(model, found)
    if made not in NUMPY or dtype is None or (isinstance(store, ast.AugAssign) and not zero):
        return None
    return found._replace(numpy=True, dtype=dtype, axis=axis)


def _column(
    model: LoopModel, stream: Stream, name: str, store: ast.stmt, element: ast.expr, axis: int
) -> Output | None:
    found = _buffer(model, stream, name, store, element, axis)
    return found._replace(axis=axis) if found is not None else None


def _whole_row(at: ast.expr, index: str) -> bool:
    first, *rest = at.elts if isinstance(at, ast.Tuple) and at.elts else [at]
    return isinstance(first, ast.Name) and first.id == index and all(map(_whole, rest))


def _buffer(
    model: LoopModel, stream: Stream, name: str, store: ast.stmt, element: ast.expr, axis: int = 0
) -> Output | None:
    initial = _made(model, name)
    if initial is None or not _fits(model, initial.value, stream, axis):
        return None
    known = {*ast.walk(initial), *ast.walk(store)} - {*ast.walk(element)}
    end = model.node.end_lineno or model.node.lineno
    others = [n for n in ast.walk(model.flow.function) if isinstance(n, ast.Name) and n.id == name]
    if any(use not in known and use.lineno <= end for use in others):
        return None
    return Output(name, initial, (), store, element, (), not stream.plain and stream.counted is None)


def _made(model: LoopModel, name: str) -> ast.Assign | None:
    """The statement of the same block that makes the array, with all it is made from as it is at the loop."""
    block = model.unit.block(model.node)
    between: list[ast.stmt] = []
    for statement in reversed(block[: block.index(model.node)]):
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return statement if not binds(*between) & reads(value, *model.bounds) else None
        between.append(statement)
    return None


def _fits(model: LoopModel, made: ast.expr, stream: Stream, axis: int) -> bool:
    """Whether an array has as many rows along an axis as the loop trips."""
    unit, trips = model.unit, _trips(model, stream)
    match made:
        case ast.Call(keywords=keywords) if any(k.arg in ("shape", None) for k in keywords):
            return False
        case ast.Call(func=function, args=[array, *_]) if unit.resolve(function) in ALIKE:
            return trips == (ast.unparse(array), axis)
        case ast.Call(func=function, args=[shape, *_]) if unit.resolve(function) in MADE:
            match shape:
                case (
                    ast.Tuple(elts=sizes) | ast.List(elts=sizes) | ast.BinOp(left=ast.Tuple(elts=sizes), op=ast.Add())
                ) if axis < len(sizes) and not any(isinstance(size, ast.Starred) for size in sizes[: axis + 1]):
                    return _as_many(model, stream, sizes[axis])
                case ast.Attribute(value=array, attr="shape"):
                    return trips == (ast.unparse(array), axis)
            return axis == 0 and _as_many(model, stream, shape)
    return False


def _as_many(model: LoopModel, stream: Stream, size: ast.expr) -> bool:
    """Whether a size is the number of trips: it is the same length, or both are the same number."""
    number = model.unit.value(size).constant
    counted = type(number) is int and number == model.trips and len(model.streams) <= 2  # of one array, at most
    return counted or _trips(model, stream) == _length(model.unit, size)


def _trips(model: LoopModel, stream: Stream) -> tuple[str, int] | None:
    """What the number of trips is the length of."""
    if stream.counted is not None:
        return ast.unparse(stream.counted), 0
    count = _count(model, stream)
    return _length(model.unit, count) if count is not None else None


def _length(unit: Unit, count: ast.expr) -> tuple[str, int]:
    """What a number of rows is the length of; a number, or a name for one, is what it says itself."""
    known = unit.value(count).constant
    return axis_read(unit, count) or (ast.unparse(count) if not isinstance(known, int) else str(known), -1)
