"""What a loop iterates: ranges and the rows of arrays, side by side, and how many trips they make."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from scanlint.syntax.regex import regex
from scanlint.syntax.slices import backwards
from scanlint.trace.domain.folding import LARGEST
from scanlint.trace.hints.handed_elements import differentiated_at
from scanlint.trace.unit import Unit

PROGRESS = regex(r"(?i)^(?:tqdm\w*|t?n?range|progress\w*|track|alive_it|prange)$")


@dataclass(frozen=True, slots=True)
class Stream:
    """One thing that a loop iterates: Python ints from a range, or the rows of an array.

    `start` and `step` are None where the range does not give them. `counted` is the array whose rows `enumerate`
    counts (there is no `stop` then). `reverse` goes from the last one to the first. `table`: the rows are those of a
    list of numbers or of a NumPy array, Python values as long as the loop is not rolled. `listed`: they are arrays that
    stand in a list, to be stacked. `loose`: they are numbers or arrays, as what JAX does
    with each tells, whatever holds them. `beside` are the arrays beside it that may be shorter: Python stops there.
    """

    target: ast.expr
    kind: Literal["range", "rows"]
    array: ast.expr | None = None
    start: ast.expr | None = None
    stop: ast.expr | None = None
    step: ast.expr | None = None
    counted: ast.expr | None = None
    reverse: bool = False
    table: bool = False
    listed: bool = False
    loose: bool = False
    beside: tuple[ast.expr, ...] = ()

    @property
    def plain(self) -> bool:
        """A range that counts up from 0 by 1."""
        return self.kind == "range" and self.start is None and self.step is None and not self.reverse


def streams_of(unit: Unit, target: ast.expr, iterable: ast.expr) -> Iterator[Stream]:
    """What is iterated, as streams side by side; nothing when one of them is not understood."""
    match iterable, unit.resolve(iterable.func) if isinstance(iterable, ast.Call) else None:
        case ast.Call(args=args, keywords=[]), "builtins.range" if not any(isinstance(a, ast.Starred) for a in args):
            yield from range_of(unit, target, args)
        case ast.Call(args=[ast.Call() as inner], keywords=[]), "builtins.list" | "builtins.tuple":
            yield from streams_of(unit, target, inner)
        case ast.Call(args=[ast.Call() as inner], keywords=[]), "builtins.reversed":
            for stream in streams_of(unit, target, inner):
                yield _reversed(stream)
        case ast.Call(args=[inner], keywords=[]), "builtins.reversed":
            yield from map(_reversed, rows(unit, target, inner))
        case ast.Call(args=[inner, *rest], keywords=[]), "builtins.enumerate" if len(rest) < 2:
            yield from _enumerate(unit, target, inner, rest)
        case ast.Call(args=[inner], keywords=[ast.keyword(arg="start", value=first)]), "builtins.enumerate":
            yield from _enumerate(unit, target, inner, [first])
        case ast.Call(args=parts, keywords=[] | [ast.keyword(arg="strict")] as strict), "builtins.zip":
            yield from _zip(unit, target, parts, strict=any(unit.value(k.value).constant is True for k in strict))
        case ast.Subscript(value=inner, slice=cut), _ if backwards(cut):
            yield from map(_reversed, streams_of(unit, target, inner))
        case _:
            yield from rows(unit, target, iterable)


def unwrapped(unit: Unit, iterable: ast.expr, depth: int = 0) -> tuple[ast.expr, str | None]:
    """What a progress bar goes over, and the bar as it is spelled; the iterable itself where there is no bar."""
    if depth > 3:
        return iterable, None
    match iterable:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[inner, *_]) if PROGRESS.search(name):
            if name.endswith("trange"):
                return ast.copy_location(ast.Call(ast.Name("range", ast.Load()), [inner], []), iterable), name
            return (inner, name) if name not in ("range", "prange") else (iterable, None)
        case ast.NamedExpr(value=inner):
            return unwrapped(unit, inner, depth + 1)
        case ast.IfExp(body=body, orelse=orelse):
            first, second = unwrapped(unit, body, depth + 1), unwrapped(unit, orelse, depth + 1)
            if ast.dump(first[0]) == ast.dump(second[0]):
                return second[0] if second[1] is None else first[0], first[1] or second[1]
        case ast.Name():
            from scanlint.dataflow.around import source_of

            bound = source_of(unit, iterable)
            if isinstance(bound, ast.Call | ast.IfExp):
                inner, wrapper = unwrapped(unit, bound, depth + 1)
                return (inner, wrapper) if wrapper is not None else (iterable, None)
    return iterable, None


def rows(unit: Unit, target: ast.expr, array: ast.expr) -> Iterator[Stream]:
    """The rows of an array, of a table of numbers, or the arrays of a list."""
    if is_array(unit, array):
        yield Stream(target, "rows", array=array)
        return
    from scanlint.loops.constant_tables import array_list, host_array, host_numbers, iterable_table

    if iterable_table(unit, array):
        yield Stream(target, "rows", array=array, table=True)
    elif array_list(unit, array) is not None:
        yield Stream(target, "rows", array=array, listed=True)
    elif host_array(unit, array):
        yield Stream(target, "rows", array=array, table=True)
    elif differentiated_at(unit, target) or host_numbers(unit, array):
        yield Stream(target, "rows", array=array, loose=True)


def _reversed(stream: Stream) -> Stream:
    return replace(stream, reverse=not stream.reverse)


def range_of(unit: Unit, target: ast.expr, args: list[ast.expr]) -> Iterator[Stream]:
    """The stream of `range(*args)`."""
    match args:
        case [stop]:
            yield Stream(target, "range", stop=stop)
        case [start, stop]:
            zero = unit.value(start).constant == 0 and isinstance(start, ast.Constant)
            yield Stream(target, "range", start=None if zero else start, stop=stop)
        case [start, stop, step]:
            one = unit.value(step).constant == 1 and isinstance(step, ast.Constant)
            yield Stream(target, "range", start=start, stop=stop, step=None if one else step)


def _enumerate(unit: Unit, target: ast.expr, inner: ast.expr, rest: list[ast.expr]) -> Iterator[Stream]:
    first = rest[0] if rest else None
    if first is not None and not (isinstance(first, ast.Constant) and type(first.value) is int):
        return
    match target:
        case ast.Tuple(elts=[ast.Name() as index, element]):
            rows = list(streams_of(unit, element, inner))
            arrays = [row.array for row in rows if row.kind == "rows"]
            if arrays:
                start = None if first is None or unit.value(first).constant == 0 else first
                yield Stream(index, "range", counted=arrays[0], start=start, beside=rows[0].beside)
                yield from rows


def _zip(unit: Unit, target: ast.expr, parts: list[ast.expr], *, strict: bool) -> Iterator[Stream]:
    match target:
        case ast.Tuple(elts=names) if len(names) == len(parts):
            found = [list(streams_of(unit, name, part)) for name, part in zip(names, parts, strict=True)]
            inside = [stream for streams in found for stream in streams]
            whole = all(len(s) == 1 or (s and _all_rows(s)) for s in found)
            counts = {_rows(unit, s.array) for s in inside if (s.table or s.listed) and s.array is not None}
            whole = whole and len(counts) < 2
            if whole and any(s.kind == "rows" for s in inside):
                yield from inside if strict else _shortened(unit, inside)


def _shortened(unit: Unit, streams: list[Stream]) -> Iterator[Stream]:
    """The streams, each with the arrays beside it that may be shorter; what is turned round before is not followed."""
    from scanlint.loops.sizes.lengths import no_longer

    arrays = [s.array for s in streams if s.array is not None and not (s.table or s.listed)]
    ends = [_ended(unit, s, arrays) if s.kind == "range" and s.stop is not None else s for s in streams]
    known = [s for s in ends if s is not None]
    if len(known) < len(ends):
        return
    others = {id(a): tuple(b for b in arrays if b is not a and not no_longer(unit, a, b)) for a in arrays}
    found = [replace(s, beside=others.get(id(s.array or s.counted), ())) for s in known]
    named = all(isinstance(a, ast.Name | ast.Attribute | ast.Subscript) for s in found for a in s.beside)
    if named and not any(s.beside and s.reverse for s in found):
        yield from found


def _ended(unit: Unit, numbers: Stream, arrays: list[ast.expr]) -> Stream | None:
    """A range beside arrays: its end is known, it counts the rows of one of them, or it is as long as all are made."""
    from scanlint.loops.sizes.lengths import made_with
    from scanlint.loops.sizes.shape_reads import axis_read

    assert numbers.stop is not None
    if range_length(numbers, partial(_bound, unit)) is not None:
        return numbers
    if not numbers.plain:
        return None
    counted = axis_read(unit, numbers.stop)
    rows = [a for a in arrays if (ast.unparse(a), 0) == counted]
    if rows:
        return replace(numbers, stop=None, counted=rows[0])
    return numbers if arrays and all(made_with(unit, a, numbers.stop) for a in arrays) else None


def _all_rows(streams: list[Stream]) -> bool:
    return all(s.kind == "rows" for s in streams)


def is_array(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is known to be one jax array, not a list or a pytree of them."""
    value = unit.value(node)
    return value.array and value.container is None


def trips_of(unit: Unit, streams: tuple[Stream, ...]) -> int | None:
    """The trip count where it is known; beside a range or table of known length, unknown rows count as enough."""
    ranges = [range_length(s, partial(_bound, unit)) for s in streams if s.kind == "range" and s.stop is not None]
    arrays = [_rows(unit, s.array) for s in streams if s.array is not None]
    counted = any(trips is not None for trips in ranges) or any(s.table or s.listed for s in streams)
    known = [length for length in (*ranges, *arrays) if length is not None]
    return min(known) if known and (counted or None not in arrays) else None


def _rows(unit: Unit, array: ast.expr) -> int | None:
    from scanlint.loops.sizes.lengths import rows_written

    return rows_written(unit, array)


def _bound(unit: Unit, node: ast.expr) -> object:
    """The number that a bound of a range is known to be."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=0)):
            return _rows(unit, array) if is_array(unit, array) else None
        case ast.Call(func=ast.Name(id="len"), args=[array]) if is_array(unit, array):
            return _rows(unit, array)
        case ast.Call(func=ast.Name(id="len"), args=[table]):
            from scanlint.loops.constant_tables import iterable_table

            if iterable_table(unit, table):
                return _rows(unit, table)
    return unit.value(node).constant


def range_length(stream: Stream, known: Callable[[ast.expr], object]) -> int | None:
    """How many trips a range makes when its bounds are these numbers."""
    start = known(stream.start) if stream.start is not None else 0
    stop = known(stream.stop) if stream.stop is not None else None
    step = known(stream.step) if stream.step is not None else 1
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step != 0:
        return max(0, -((start - stop) // step)) if max(map(abs, (start, stop, step))) < LARGEST else None
    return None
