"""The model of one loop: what it iterates, carries from trip to trip and collects, and what stands in the way."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Literal

from scanlint.dataflow.items import own_items
from scanlint.dataflow.liveness import Flow, flow_around
from scanlint.finding import Withheld
from scanlint.loops.accumulators.branch_appends import by_branches
from scanlint.loops.accumulators.collected_lists import Output, appends, backwards, find_outputs
from scanlint.loops.accumulators.flat_lists import flattened
from scanlint.loops.accumulators.read_back_lists import ReadBack, read_back
from scanlint.loops.constant_tables import array_list, entries, iterable_table
from scanlint.loops.obstacles import obstacles
from scanlint.loops.sizes.lengths import rows_written
from scanlint.settings import Settings
from scanlint.syntax.bindings import Names, binds, reads, targets, walk_scope
from scanlint.trace.domain.folding import LARGEST
from scanlint.trace.unit import IN_TESTS, Unit


@dataclass(frozen=True, slots=True)
class Stream:
    """One thing that a loop iterates: Python ints from a range, or the rows of an array.

    `start` and `step` are None where the range does not give them. `counted` is the array whose rows `enumerate`
    counts (there is no `stop` then). `reverse` goes from the last one to the first. `table`: the rows are those of a
    list of numbers or of a NumPy array, Python values as long as the loop is not rolled. `listed`: they are arrays that
    stand in a list, to be stacked.
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

    @property
    def plain(self) -> bool:
        """A range that counts up from 0 by 1."""
        return self.kind == "range" and self.start is None and self.step is None and not self.reverse


class LoopModel:
    """A `for` or `while` as the rewriters need it; each part is worked out when it is first asked for.

    `streams` is empty for a `while` and for what is not understood. `starts` are carried names that are bound just
    above the loop for its sake alone, `buffers` arrays that are to be stacked rather than carried.
    """

    def __init__(
        self,
        unit: Unit,
        node: ast.For | ast.While,
        streams: tuple[Stream, ...] | None = None,
        starts: Names = frozenset(),
        buffers: tuple[Output, ...] = (),
    ) -> None:
        self.unit = unit
        self.node = node
        self.starts = starts
        self.buffers = buffers
        self.measured: dict[str, float] = {}
        self._given = streams

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        if self._given is not None:
            return self._given
        node = self.node
        return tuple(streams_of(self.unit, node.target, node.iter)) if isinstance(node, ast.For) else ()

    @cached_property
    def trips(self) -> int | None:
        """The trip count where it is known."""
        return trips_of(self.unit, self.streams)

    @cached_property
    def flow(self) -> Flow:
        return flow_around(self.unit, self.node)

    @cached_property
    def _lists(self) -> tuple[tuple[Output, ...], list[Withheld]]:
        if next(appends(self.node), None) is None:
            return (), []  # the flow of a long function costs more than all the rest
        return find_outputs(self.unit, self.node, self.flow)

    @property
    def outputs(self) -> tuple[Output, ...]:
        """Lists that get one element per trip and are only stacked afterwards, and arrays of which the same is true."""
        return (*self._lists[0], *self.buffers)

    @property
    def gone(self) -> frozenset[ast.AST]:
        """What the body no longer has once rows are stacked: `ys.at[i].set(...)` and `ys[i] = ...` but for the rows."""
        kept = {n for output in self.outputs for n in ast.walk(output.element)}
        return frozenset(n for output in self.outputs for n in ast.walk(output.append) if n not in kept)

    @cached_property
    def items(self) -> Names:
        """Dicts and lists of the function's own whose items the body sets: they are carried like any other state."""
        return own_items(self.unit, self.node, self.flow)

    @cached_property
    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        collected = frozenset(o.name for o in self.outputs)
        carried, last = _state(self.node, self.flow, collected, self.items - collected)
        placed = [n for n in carried if self._placeholder(n)]
        return tuple(n for n in carried if n not in placed), (*last, *placed)

    def _placeholder(self, name: str) -> bool:
        """Whether what a name is before the loop is None, and every trip, of which there are some, binds it anew."""
        if not self.trips or name in self.flow.live_at_body[self.node]:
            return False
        before = self.unit.before.get((self.node, name))
        return before is not None and before.known and before.constant is None

    @property
    def carried(self) -> tuple[str, ...]:
        """Names that go from trip to trip, in the order in which the function binds them."""
        return self._names[0]

    @property
    def last_values(self) -> tuple[str, ...]:
        """Names that are written on each trip, not carried, and read after the loop."""
        return self._names[1]

    @cached_property
    def staged(self) -> Names:
        """The Python values of the body that turn into tracers when the loop is rolled: the index, static carries."""
        return _staged(self.unit, self.node, self.streams, self.carried)

    @cached_property
    def obstacles(self) -> tuple[Withheld, ...]:
        """What stands in the way of rolling the loop."""
        found = obstacles(self.unit, self.node, self.flow, self.carried, self.outputs, self.staged, self.items)
        return (*self._lists[1], *found)

    @cached_property
    def read_back(self) -> ReadBack | None:
        """The first list whose last element each trip reads, where nothing but such lists is in the way."""
        found = tuple(read_back(self.unit, self.node, self.flow)) if self._lists[1] else ()
        if not found or len(found) != len(self._lists[1]):
            return None
        kept: tuple[Output | ReadBack, ...] = (*self.outputs, *found)
        rest = obstacles(self.unit, self.node, self.flow, self.carried, kept, self.staged, self.items)
        return found[0] if next(iter(rest), None) is None else None

    @cached_property
    def by_hand(self) -> bool:
        """Whether something is in the way that no mechanical step takes out of it."""
        if all(o.code == "closure" for o in self.obstacles) or self.read_back is not None:
            return False
        from scanlint.loops.accumulators.conditional_appends import thinned
        from scanlint.loops.accumulators.dict_histories import alone
        from scanlint.loops.accumulators.indexed_lists import placed
        from scanlint.loops.accumulators.last_element_lists import newest

        appends = by_branches(self.node.body, self.obstacles) or flattened(self.unit, self.node, self.flow)
        lists = newest(self.unit, self.node) or placed(self.unit, self.node)
        return not (appends or alone(self) or thinned(self) or lists)

    @property
    def collects(self) -> bool:
        return bool(self.outputs) or self.read_back is not None

    @property
    def targets(self) -> list[str]:
        return [name for stream in self.streams for name in targets(stream.target)]

    @property
    def live_targets(self) -> list[str]:
        """Loop variables that are read after the loop."""
        after = self.flow.live_after[self.node]
        return [name for name in self.targets if name in after]

    @property
    def bounds(self) -> list[ast.expr]:
        """The arguments of the ranges that it goes over."""
        parts = [p for s in self.streams if s.kind == "range" for p in (s.start, s.stop, s.step)]
        return [p for p in parts if p is not None]

    def used(self, name: str) -> bool:
        """Whether the body reads a name, where rows of arrays are stacked and not set any more."""
        rows = {output.append: output.element for output in self.outputs}
        return name in reads(*(rows.get(s, s) for s in self.node.body))


def _state(
    node: ast.For | ast.While, flow: Flow, collected: Names, items: Names
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names carried from trip to trip (those whose `items` are set too), and names whose last value is read after."""
    header = frozenset(targets(node.target)) if isinstance(node, ast.For) else binds(node.test)
    written = (binds(*node.body) | items) - header - collected
    live_after, live_inside = flow.live_after[node], flow.live_at_body[node]
    reread = live_inside | (reads(node.test) if isinstance(node, ast.While) else frozenset())
    bound = flow.bound_before[node]
    carried = {n for n in written if n in reread or (n in live_after and n in bound)} | items
    if isinstance(node, ast.While):
        carried |= written & live_after
    order = flow.order
    last = [n for n in order if n in written and n in live_after and n not in carried]
    return tuple(n for n in order if n in carried), tuple(last)


def streams_of(unit: Unit, target: ast.expr, iterable: ast.expr) -> Iterator[Stream]:
    """What is iterated, as streams side by side; nothing when one of them is not understood."""
    match iterable, unit.resolve(iterable.func) if isinstance(iterable, ast.Call) else None:
        case ast.Call(args=args, keywords=[]), "builtins.range" if not any(isinstance(a, ast.Starred) for a in args):
            yield from _range(unit, target, args)
        case ast.Call(args=[ast.Call() as inner], keywords=[]), "builtins.list" | "builtins.tuple":
            yield from streams_of(unit, target, inner)
        case ast.Call(args=[ast.Call() as inner], keywords=[]), "builtins.reversed":
            for stream in streams_of(unit, target, inner):
                yield _reversed(stream)
        case ast.Call(args=[inner], keywords=[]), "builtins.reversed":
            yield from map(_reversed, _rows(unit, target, inner))
        case ast.Call(args=[inner, *rest], keywords=[]), "builtins.enumerate" if len(rest) < 2:
            yield from _enumerate(unit, target, inner, rest)
        case ast.Call(args=[inner], keywords=[ast.keyword(arg="start", value=first)]), "builtins.enumerate":
            yield from _enumerate(unit, target, inner, [first])
        case ast.Call(args=parts, keywords=[]), "builtins.zip":
            yield from _zip(unit, target, parts)
        case ast.Subscript(value=inner, slice=cut), _ if backwards(cut):
            yield from map(_reversed, streams_of(unit, target, inner))
        case _:
            yield from _rows(unit, target, iterable)


def _rows(unit: Unit, target: ast.expr, array: ast.expr) -> Iterator[Stream]:
    """The rows of an array, of a table of numbers, or the arrays of a list."""
    if is_array(unit, array):
        yield Stream(target, "rows", array=array)
    elif iterable_table(unit, array):
        yield Stream(target, "rows", array=array, table=True)
    elif array_list(unit, array) is not None:
        yield Stream(target, "rows", array=array, listed=True)


def _reversed(stream: Stream) -> Stream:
    return replace(stream, reverse=not stream.reverse)


def _range(unit: Unit, target: ast.expr, args: list[ast.expr]) -> Iterator[Stream]:
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
                yield Stream(index, "range", counted=arrays[0], start=start)
                yield from rows


def _zip(unit: Unit, target: ast.expr, parts: list[ast.expr]) -> Iterator[Stream]:
    match target:
        case ast.Tuple(elts=names) if len(names) == len(parts):
            found = [list(streams_of(unit, name, part)) for name, part in zip(names, parts, strict=True)]
            inside = [stream for streams in found for stream in streams]
            whole = all(len(s) == 1 or (s and _all_rows(s)) for s in found)
            counts = {entries(unit, s.array) for s in inside if (s.table or s.listed) and s.array is not None}
            whole = whole and len(counts) < 2
            if whole and any(s.kind == "rows" for s in inside):
                yield from inside


def _all_rows(streams: list[Stream]) -> bool:
    return all(s.kind == "rows" for s in streams)


def is_array(unit: Unit, node: ast.expr) -> bool:
    """Whether an expression is known to be one jax array, not a list or a pytree of them."""
    value = unit.value(node)
    return value.array and value.container is None


def trips_of(unit: Unit, streams: tuple[Stream, ...]) -> int | None:
    """The trip count where it is known; beside a range or table of known length, unknown rows count as enough."""
    ranges = [range_length(s, partial(_bound, unit)) for s in streams if s.kind == "range" and s.stop is not None]
    arrays = [(entries if s.table or s.listed else rows_written)(unit, s.array) for s in streams if s.array is not None]
    counted = any(trips is not None for trips in ranges) or any(s.table or s.listed for s in streams)
    known = [length for length in (*ranges, *arrays) if length is not None]
    return min(known) if counted or (known and None not in arrays) else None


def _bound(unit: Unit, node: ast.expr) -> object:
    """The number that a bound of a range is known to be."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=0)):
            return rows_written(unit, array) if is_array(unit, array) else None
        case ast.Call(func=ast.Name(id="len"), args=[array]) if is_array(unit, array):
            return rows_written(unit, array)
        case ast.Call(func=ast.Name(id="len"), args=[table]) if iterable_table(unit, table):
            return entries(unit, table)
    return unit.value(node).constant


def range_length(stream: Stream, known: Callable[[ast.expr], object]) -> int | None:
    """How many trips a range makes when its bounds are these numbers."""
    start = known(stream.start) if stream.start is not None else 0
    stop = known(stream.stop) if stream.stop is not None else None
    step = known(stream.step) if stream.step is not None else 1
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step != 0:
        return max(0, -((start - stop) // step)) if max(map(abs, (start, stop, step))) < LARGEST else None
    return None


def _staged(unit: Unit, node: ast.For | ast.While, streams: tuple[Stream, ...], carried: tuple[str, ...]) -> Names:
    """Names in the body that are Python values today and tracers once the loop is rolled."""
    names = {n for s in streams if s.kind == "range" or s.table for n in targets(s.target)}
    loads = [n for n in walk_scope(node.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    names |= {n.id for n in loads if n.id in carried and unit.value(n).static}
    grew = True
    while grew:
        grew = False
        for part in walk_scope(node.body):
            if isinstance(part, ast.Assign) and reads(part.value) & names and not unit.value(part.value).traced:
                new = {n for t in part.targets for n in targets(t)} - names
                names |= new
                grew = grew or bool(new)
    return frozenset(names)


def few(unit: Unit, trips: int | None, settings: Settings) -> bool:
    """Whether so few examples are treated one by one that it is no matter; in a test, whether not many are known."""
    if unit.source.tests:
        return trips is None or trips <= settings.max_unrolled_trips * IN_TESTS
    return trips is not None and trips <= settings.max_unrolled_trips
