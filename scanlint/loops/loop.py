"""The model of one loop: what it iterates, carries from trip to trip and collects, and what stands in the way."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from scanlint.finding import Withheld
from scanlint.loops.rows.collected import Output, appends, find_outputs
from scanlint.loops.streams import Stream, streams_of, trips_of, unwrapped
from scanlint.settings import Settings
from scanlint.syntax.bindings import Function, Names, binds, reads, targets, walk_scope
from scanlint.trace.unit import IN_TESTS, Unit

if TYPE_CHECKING:  # a loop that is too short to be asked needs none of these
    from scanlint.dataflow.liveness import Flow
    from scanlint.loops.rows.recent import Recent


class LoopModel:
    """A `for` or `while` as the rewriters need it; each part is worked out when it is first asked for.

    `streams` is empty for a `while` and for what is not understood. `starts` are carried names that are bound just
    above the loop for its sake alone, `buffers` arrays that are to be stacked rather than carried, `lists` the lists
    that it collects where their elements are to be others than those that are appended.
    """

    def __init__(
        self,
        unit: Unit,
        node: ast.For | ast.While,
        streams: tuple[Stream, ...] | None = None,
        starts: Names = frozenset(),
        buffers: tuple[Output, ...] = (),
        lists: tuple[Output, ...] | None = None,
    ) -> None:
        self.unit = unit
        self.node = node
        self.starts = starts
        self.buffers = buffers
        self.lists = lists
        self.measured: dict[str, float] = {}
        self._given = streams

    @cached_property
    def streams(self) -> tuple[Stream, ...]:
        if self._given is not None:
            return self._given
        node = self.node
        return tuple(streams_of(self.unit, node.target, self._iterable)) if isinstance(node, ast.For) else ()

    @property
    def _iterable(self) -> ast.expr:
        """What a `for` goes over; in traced code without a progress bar, which shows there how far the trace is."""
        assert isinstance(self.node, ast.For)
        traced = self.unit.context(self.node).traced
        return unwrapped(self.unit, self.node.iter)[0] if traced else self.node.iter

    @cached_property
    def trips(self) -> int | None:
        """The trip count where it is known."""
        return trips_of(self.unit, self.streams)

    @cached_property
    def function(self) -> Function:
        """The innermost function around it."""
        return next(a for a in self.unit.ancestors(self.node) if isinstance(a, Function))

    @cached_property
    def flow(self) -> Flow:
        from scanlint.dataflow.liveness import flow_around

        return flow_around(self.unit, self.node)

    @cached_property
    def _lists(self) -> tuple[tuple[Output, ...], list[Withheld]]:
        if next(appends(self.unit, self.node), None) is None:
            return (), []  # the flow of a long function costs more than all the rest
        if self.lists is not None:
            return self.lists, []
        return find_outputs(self.unit, self.node)

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
        from scanlint.dataflow.items import own_items

        return own_items(self.unit, self.node, self.flow)

    @cached_property
    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        collected = frozenset(o.name for o in self.outputs)
        carried, last = _state(self.node, self.flow, collected, self.items - collected)
        placed = [n for n in carried if self._placeholder(n)]
        return tuple(n for n in carried if n not in placed), (*last, *placed)

    def _placeholder(self, name: str) -> bool:
        """Whether what a name is before the loop is None, and every trip, of which there are some, binds it anew."""
        if not self.trips or name in self.flow.live_at_body(self.node):
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
        return (*self._lists[1], *self._hindered(self.outputs))

    @cached_property
    def read_back(self) -> Recent | None:
        """The first list whose last element each trip reads, where nothing but such lists is in the way."""
        if not self._lists[1]:
            return None
        from scanlint.loops.rows.recent import read_back

        found = tuple(read_back(self.unit, self.node, self.flow))
        if not found or len(found) != len(self._lists[1]):
            return None
        rest = self._hindered((*self.outputs, *found))
        return found[0] if next(iter(rest), None) is None else None

    def _hindered(self, kept: tuple[Output | Recent, ...]) -> Iterable[Withheld]:
        """What stands in the way, but for lists that the loop keeps."""
        from scanlint.loops.obstacles import obstacles

        return obstacles(self.unit, self.node, self.flow, self.carried, kept, self.staged, self.items)

    @property
    def collects(self) -> bool:
        return bool(self.outputs) or self.read_back is not None

    @property
    def targets(self) -> list[str]:
        return [name for stream in self.streams for name in targets(stream.target)]

    @property
    def live_targets(self) -> list[str]:
        """Loop variables that are read after the loop."""
        after = self.flow.live_after(self.node)
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
    live_after, live_inside = flow.live_after(node), flow.live_at_body(node)
    reread = live_inside | (reads(node.test) if isinstance(node, ast.While) else frozenset())
    bound = flow.bound_before(node)
    carried = {n for n in written if n in reread or (n in live_after and n in bound)} | items
    if isinstance(node, ast.While):
        carried |= written & live_after
    order = flow.order
    last = [n for n in order if n in written and n in live_after and n not in carried]
    return tuple(n for n in order if n in carried), tuple(last)


def _staged(unit: Unit, node: ast.For | ast.While, streams: tuple[Stream, ...], carried: tuple[str, ...]) -> Names:
    """Names in the body that are Python values today and tracers once the loop is rolled."""
    names = {n for s in streams if s.kind == "range" or s.table for n in targets(s.target)}
    loads = [n for n in walk_scope(node.body) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    names |= {n.id for n in loads if n.id in carried and unit.value(n).static}
    host = not unit.context(node).traced
    grew = True
    while grew:
        grew = False
        for part in walk_scope(node.body):
            if isinstance(part, ast.Assign) and reads(part.value) & names and not _array(unit, part.value, host):
                new = {n for t in part.targets for n in targets(t)} - names
                names |= new
                grew = grew or bool(new)
    return frozenset(names)


def _array(unit: Unit, value: ast.expr, host: bool) -> bool:
    """Whether a value is no Python value: a tracer, on the host an array."""
    found = unit.value(value)
    return found.traced or (host and found.array)


def short(model: LoopModel, settings: Settings) -> bool:
    """Whether a loop is known to make few trips and runs no other loop in them."""
    trips, inner = model.trips, any(isinstance(statement, ast.For) for statement in model.node.body)
    return trips is not None and trips <= settings.max_unrolled_trips and not inner


def few(unit: Unit, trips: int | None, settings: Settings) -> bool:
    """Whether so few examples are treated one by one that it is no matter; in a test, whether not many are known."""
    if unit.source.tests:
        return trips is None or trips <= settings.max_unrolled_trips * IN_TESTS
    return trips is not None and trips <= settings.max_unrolled_trips
