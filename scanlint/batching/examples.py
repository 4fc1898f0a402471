"""Loops and comprehensions that treat each example on its own: the arrays that examples come from, and the axes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from scanlint.batching.shifted_rows import Rows, shifted_row
from scanlint.finding import Withheld
from scanlint.host.callees import by_jax, cast_away, stageable
from scanlint.host.doors import by_the_host, surely_jax, worked_out
from scanlint.loops.concrete_uses import limit, number_cast
from scanlint.loops.constant_tables import host_array, is_table
from scanlint.loops.loop import LoopModel
from scanlint.loops.obstacles import MAKERS, index_needs_int
from scanlint.loops.python_parameters import takes_tracers
from scanlint.loops.rows.stacking import composite
from scanlint.loops.sizes.lengths import made_with
from scanlint.loops.sizes.shape_reads import axis_read, last_axis
from scanlint.loops.streams import Stream, is_array
from scanlint.syntax.bindings import Names, binds, parameters, reads, targets
from scanlint.trace.calls.jax_results import ELEMENTWISE
from scanlint.trace.domain.callables import Transformed
from scanlint.trace.hints.numpy_made import by_numpy
from scanlint.trace.unit import Unit

KEYS = frozenset(f"jax.random.{n}" for n in ("PRNGKey", "key", "fold_in"))
"""What makes a random key of a number, a traced one too."""
STACKS = frozenset(f"jax.numpy.{n}" for n in ("stack", "array", "asarray"))


@dataclass(frozen=True, slots=True)
class Batch:
    """What is done to each example.

    `index` is the loop variable where it is needed as a number; then only `counter` and the rows that are targets are
    handed in. `elements` are the results of one example, `statements` what runs before they are known. `numbered`:
    examples may be told apart by nothing but their number. `gathers` makes an array of an element that is a list;
    `inner` is the batch of its examples, if they are one. `host` says why NumPy would work on its rows, if it may.
    """

    unit: Unit
    node: ast.AST
    statements: tuple[ast.stmt, ...]
    elements: tuple[ast.expr, ...]
    rows: tuple[Rows, ...]
    counter: Stream | None
    index: str | None
    numbered: bool = False
    gathers: str | None = None
    inner: Batch | None = None
    host: Withheld | None = None

    @property
    def variant(self) -> Names:
        """The names that differ from example to example."""
        names = {n for r in self.rows if r.target is not None for n in targets(r.target)}
        if self.counter is not None:
            names |= set(targets(self.counter.target))
        return frozenset(names) | binds(*self.statements) | {r.name for r in self.rows if r.name is not None}


def batch_of(model: LoopModel, *, numbered: bool = False) -> Batch | None:
    """The batch that a loop makes that collects what it does to each example."""
    appends = {id(output.append) for output in model.outputs}
    statements = [s for s in model.node.body if id(s) not in appends]
    groups = [o.element.elts if o.grouped else [o.element] for o in model.outputs]  # type: ignore[attr-defined]
    elements = [element for group in groups for element in group]
    return find_batch(model.unit, model.node, model.streams, statements, elements, numbered=numbered)


def find_batch(
    unit: Unit,
    node: ast.AST,
    streams: Sequence[Stream],
    statements: Sequence[ast.stmt],
    elements: Sequence[ast.expr],
    *,
    numbered: bool = False,
    gathers: str | None = None,
    inner: Batch | None = None,
) -> Batch | None:
    """The batch that these streams and this body make, if each example is an array's row (or window) of its own.

    `numbered`: or if each is but a number, which a tracer may stand for, as it may in a rolled loop.
    """
    rows: list[Rows] = []
    counter: Stream | None = None
    for stream in streams:
        if stream.listed or (stream.table and not (stream.array is not None and host_array(unit, stream.array))):
            return None
        if stream.kind == "rows" and stream.array is not None:
            made = Rows(stream.array, 0, target=stream.target, reverse=stream.reverse, loose=stream.loose)
            rows.append(replace(made, beside=stream.beside))
        elif counter is not None or not isinstance(stream.target, ast.Name):
            return None
        else:
            counter = stream
    batch = Batch(
        unit, node, tuple(statements), tuple(elements), tuple(rows), counter, None, False, gathers, inner
    )  # fmt: skip
    if counter is None:
        return _sound(batch)
    if counter.stop is not None and not all(_ends_with(unit, row, counter) for row in rows):
        return None
    assert isinstance(counter.target, ast.Name)
    name, bound = counter.target.id, binds(*statements) | {n for s in streams for n in targets(s.target)}
    uses = [n for p in (*statements, *elements) for n in ast.walk(p) if isinstance(n, ast.Name) and n.id == name]
    uses.sort(key=lambda use: (use.lineno, use.col_offset))
    found = [row_read(unit, use, bound) for use in uses]
    plain = counter.plain or counter.counted is not None
    if plain and not counter.reverse and None not in found:
        read = list(rows)
        for place in found:
            _add(read, Rows(place[0].value, place[1], [place[0]]))  # type: ignore[index]
        if not numbered or all(as_long(unit, row, counter, read) for row in read):
            return _sound(replace(batch, rows=tuple(read)))
    shifted = [shifted_row(unit, counter, use, bound) for use in uses] if not rows else []
    if shifted and None not in shifted:
        read = list[Rows]()
        for row in shifted:
            _add(read, row)  # type: ignore[arg-type]
        return _sound(replace(batch, rows=tuple(read)))
    windows = any(place is not None or _window(unit, use, bound) for place, use in zip(found, uses, strict=True))
    if not rows and not windows and not numbered:
        return None
    return _sound(replace(batch, index=name, numbered=numbered))


def _ends_with(unit: Unit, row: Rows, counter: Stream) -> bool:
    """Whether an array beside a range is known to have as many rows as that has numbers."""
    return counter.plain and counter.stop is not None and made_with(unit, row.array, counter.stop)


def _add(rows: list[Rows], new: Rows) -> None:
    for row in rows:
        same = row.axis == new.axis and row.distance == new.distance
        if row.target is None and same and ast.unparse(row.array) == ast.unparse(new.array):
            row.places += new.places
            return
    rows.append(new)


def as_long(unit: Unit, row: Rows, counter: Stream, rows: Sequence[Rows]) -> bool:
    """Whether an array is known to have as many rows as there are numbers; others of the same length are in `rows`."""
    if counter.stop is None or row.target is not None:
        return True
    if row.axis == 0 and made_with(unit, row.array, counter.stop):
        return True
    counted = last_axis(unit, counter.stop) if row.axis == -1 else axis_read(unit, counter.stop)
    kin = {(ast.unparse(r.array), r.axis) for r in rows}
    return counted is not None and counted in kin and row.axis == counted[1]


def row_read(unit: Unit, use: ast.Name, bound: Names) -> tuple[ast.Subscript, int] | None:
    """The read `xs[i]` or `xs[:, i]` that an index serves, and the axis."""
    parent = unit.parents.get(use)
    axis = 0
    if isinstance(parent, ast.Tuple):
        axis = parent.elts.index(use)
        if not all(_whole(e) for e in parent.elts if e is not use):
            return None
        if any(isinstance(e, ast.Constant) for e in parent.elts):
            axis = axis - len(parent.elts) if isinstance(parent.elts[0], ast.Constant) else axis
        parent = unit.parents.get(parent)
    match parent:
        case ast.Subscript(value=ast.Name() | ast.Attribute() as array, ctx=ast.Load()) if not reads(array) & bound:
            inside = parent.slice is use or (isinstance(parent.slice, ast.Tuple) and use in parent.slice.elts)
            known = is_array(unit, array) or host_array(unit, array)
            if inside and (known or axis != 0 or _table(unit, array)):
                return parent, axis
    return None


def _whole(part: ast.expr) -> bool:
    match part:
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case ast.Constant(value=value):
            return value is ...
    return False


def _window(unit: Unit, use: ast.Name, bound: Names) -> bool:
    """Whether an index stands in a slice or an index of an array."""
    for ancestor in unit.ancestors(use):
        match ancestor:
            case ast.Subscript(value=array, slice=index) if use in ast.walk(index):
                return is_array(unit, array) and not reads(array) & bound
            case ast.stmt() | ast.Call():
                return False
    return False


def _table(unit: Unit, array: ast.expr) -> bool:
    """Whether a parameter of which nothing is known is only ever read by index, beside another that is an array."""
    match array, unit.node:
        case ast.Name(id=name), ast.FunctionDef(args=arguments) if name in parameters(arguments):
            annotated = next(
                (a.annotation for a in ast.walk(arguments) if isinstance(a, ast.arg) and a.arg == name), None
            )
            if annotated is not None or unit.value(array).container is not None or unit.value(array).static:
                return False
            uses = [n for n in ast.walk(unit.node) if isinstance(n, ast.Name) and n.id == name]
            return all(isinstance(unit.parents.get(use), ast.Subscript) for use in uses)
    return False


def _sound(batch: Batch) -> Batch | None:
    """The batch, unless what it does is not known to work on tracers, or its elements are no arrays."""
    unit = batch.unit
    if (not batch.rows and batch.index is None) or _compared(batch):
        return None
    known = any(row.loose or is_array(unit, row.array) for row in batch.rows)
    if batch.rows and not known and not _works_in_jax(batch):
        return None
    used = reads(*batch.statements, *batch.elements)
    trees, vary = isinstance(batch.node, ast.For), False
    for element in batch.elements:
        value = unit.value(element)
        if isinstance(element, ast.Name) or any(place is element for row in batch.rows for place in row.places):
            if not batch.statements:
                return None
        listed = isinstance(element, ast.List) or (composite(unit, element) and not trees)
        if isinstance(element, ast.Starred) or (listed and batch.gathers is None):
            return None
        vary |= not value.static and bool(reads(element) & batch.variant or any(_reads_row(batch, element)))
    if not vary:
        return None
    if not used & batch.variant or not all(_takes_tracer(batch, part) for part in _parts(batch)):
        return None
    if unit.context(batch.node).traced:
        return batch
    others = any(cast_away(unit, part) for part in _parts(batch)) or any(by_numpy(unit, r.array) for r in batch.rows)
    if others and not all(by_jax(unit, element) for element in batch.elements):
        return None  # Python or NumPy may well work on these numbers, in double precision
    host = _on_host(batch)
    if host is not None and any(by_numpy(unit, row.array) or host_array(unit, row.array) for row in batch.rows):
        return None
    own = binds(*batch.statements)
    parts: list[ast.AST] = [*batch.statements, *batch.elements]
    staged = all(stageable(unit, part, own, batch.variant) for part in parts)
    return replace(batch, host=host) if staged else None


def _on_host(batch: Batch) -> Withheld | None:
    """Why NumPy works on rows that it may have made, in double precision; None if they go into JAX as they are."""
    rows = [row for row in batch.rows if not surely_jax(batch.unit, row.array)]
    names = frozenset(n for row in rows if row.target is not None for n in targets(row.target))
    places = [place for row in rows for place in row.places]
    found = worked_out(batch.unit, batch.statements, batch.elements, names, places) if rows else None
    return by_the_host(batch.unit, rows[0].array, found) if found is not None else None


def _works_in_jax(batch: Batch) -> bool:
    """Whether rows of NumPy go into what JAX computes, and none of them has to be a number of Python's."""
    if not all(host_array(batch.unit, row.array) for row in batch.rows):
        return False
    numbers = frozenset(n for row in batch.rows if row.target is not None for n in targets(row.target))
    whole = (need for element in batch.elements for need in index_needs_int(batch.unit, element, numbers))
    return next(whole, None) is None and all(by_jax(batch.unit, element) for element in batch.elements)


def _compared(batch: Batch) -> bool:
    """Whether the same function calls `jax.vmap` of the same work on the same array: this is held against it."""
    arrays = {ast.unparse(row.array) for row in batch.rows}
    work, own = _callees(*batch.statements, *batch.elements), set(_parts(batch))
    for part in (call for call in batch.unit.every(ast.Call) if call not in own) if work else ():
        match part:
            case ast.Call(func=ast.Call(func=mapped, args=[function, *_]), args=args):
                if batch.unit.resolve(mapped) == "jax.vmap" and arrays & {ast.unparse(a) for a in args}:
                    done = _callees(function) if isinstance(function, ast.Lambda) else {ast.unparse(function)}
                    if work & done:
                        return True
    return False


def _callees(*parts: ast.AST) -> set[str]:
    return {ast.unparse(n.func) for part in parts for n in ast.walk(part) if isinstance(n, ast.Call)}


def _parts(batch: Batch) -> Iterator[ast.AST]:
    for node in [*batch.statements, *batch.elements]:
        yield from ast.walk(node)


def _takes_tracer(batch: Batch, part: ast.AST) -> bool:
    """Whether a place that reads the index would take a tracer there; slices of loops are seen to later."""
    if batch.index is None:
        return True
    index = frozenset({batch.index})
    match part:
        case ast.Slice():
            return isinstance(batch.node, ast.For) or not reads(part) & index
        case ast.Subscript(value=array, slice=at) if reads(at) & index:
            known = batch.unit.value(array)
            unknown = known.container is None and not known.static
            table = isinstance(batch.node, ast.For) and is_table(batch.unit, array, ())
            return is_array(batch.unit, array) or (batch.numbered and (unknown or table))
        case ast.FormattedValue() | ast.Dict():
            return not reads(part) & index
        case ast.Call(func=function, args=args) if reads(*args, *part.keywords) & index:
            name = batch.unit.resolve(function) or ""
            outer, loop = batch.unit.parents.get(part), isinstance(batch.node, ast.For)
            arrays = not any(reads(a) & index and batch.unit.value(a).static for a in args)
            taken = arrays or name in KEYS or name.rpartition(".")[2] in ELEMENTWISE
            followed = _is_jitted(batch.unit, function) or (
                name.startswith("jax.") and (taken or isinstance(batch.node, ast.For))
            )
            if batch.numbered and not batch.unit.context(batch.node).traced and not followed:
                numbers = [a for a in (*args, *(k.value for k in part.keywords)) if reads(a) & index]
                if not takes_tracers(batch.unit, part, numbers):
                    return False
            if loop and (limit(batch.unit, part) or number_cast(batch.unit, part)):
                return True
            if loop and name == "builtins.range" and isinstance(outer, ast.For) and outer.iter is part:
                return True  # a loop whose trips are traced is seen to later
            shaped = name.startswith("jax.numpy.") and name.rpartition(".")[2] in MAKERS
            return not shaped and not name.startswith(("builtins.", "numpy.", "math."))
    return True


def _is_jitted(unit: Unit, function: ast.expr) -> bool:
    """Whether a function is jitted without static arguments: it takes tracers whatever it is handed."""
    match unit.value(function).callee:
        case Transformed(transform="jax.jit", static=static):
            return not static
    return False


def _reads_row(batch: Batch, element: ast.expr) -> Iterator[bool]:
    inside = {id(n) for n in ast.walk(element)}
    yield from (id(place) in inside for row in batch.rows for place in row.places if id(place) in inside)
