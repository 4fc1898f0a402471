"""Escape: whether an object gets out of the function that makes it, and where first."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from scanlint.dataflow.control.blocks import Calling, Define, Event, Leave, MakeInner, Store
from scanlint.dataflow.heap.effects import among, given
from scanlint.dataflow.heap.memory import Memory
from scanlint.dataflow.heap.outcomes import Root, arguments
from scanlint.dataflow.locations import DefinitionKind, Object


class Escape(NamedTuple):
    """Where an object first gets out, in the order of evaluation, and how."""

    node: ast.AST
    how: str


class Escapes:
    """The first escape of each object."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.objects = memory.objects
        self.closures = memory.closures
        self.first: dict[Object, Escape] = {}
        order: dict[Object, int] = {}
        queue: list[tuple[int, int, Object]] = []
        events = (e for b in memory.names.graph.blocks if b.live for e in b.events)
        for at, event in enumerate(events):
            for found, escape in self._ways(event):
                if found not in order:
                    order[found] = at
                    self.first[found] = escape
                    heappush(queue, (at, len(queue), found))
        count = len(queue)
        while queue:
            at, _, owner = heappop(queue)
            if order[owner] != at:
                continue
            for cell in self.objects.cells.get(owner, {}).values():
                for held in self.objects.found(cell):
                    if order.get(held, at + 1) > at:
                        order[held] = at
                        node, how = self.first[owner]
                        self.first[held] = Escape(node, how)
                        count += 1
                        heappush(queue, (at, count, held))

    def _ways(self, event: Event) -> Iterator[tuple[Object, Escape]]:
        match event:
            case Leave(node, why):
                yield from ((o, Escape(node, why)) for o in self.objects.of(node))
            case Define(node, variable, kind, source) if variable.scope is None and isinstance(source, ast.expr):
                how = f"bound to `{variable.name}` of an outer scope"
                yield from (
                    (o, Escape(node, how)) for o in self.objects.of(source) if kind is not DefinitionKind.AUGMENT
                )
            case Store(node, _, source) if isinstance(source, ast.expr):
                if any(self.memory.cells.exposed(o) for o in self.objects.of(node.value)):
                    how = f"stored in `{ast.unparse(node)}`"
                    yield from ((o, Escape(node, how)) for o in self.objects.of(source))
            case MakeInner(node) if node in self.closures.escaped:
                for capture in self.closures.touched(node):
                    how = f"captured by `{getattr(node, 'name', 'a lambda')}`, which escapes"
                    yield from ((o, Escape(node, how)) for o in self.memory.held(capture.variable))
            case Calling(node):
                yield from self._call(node)

    def _call(self, node: ast.Call) -> Iterator[tuple[Object, Escape]]:
        escape = Escape(node, f"passed to `{ast.unparse(node.func)}`")
        if self.closures.local(node):
            for function in self.closures.runs(node):
                leaks = self.objects.summary(function).leaks
                for root, argument in arguments(function, node):
                    yield from ((o, escape) for o in given(self.objects, root, argument, leaks))
                for capture in self.closures.touched(function):
                    root, held = Root(capture.variable.name, True), self.memory.held(capture.variable)
                    yield from ((o, escape) for o in among(self.objects, root, held, leaks))
        elif self.objects.effect(node) is None:
            for argument in [*node.args, *(k.value for k in node.keywords)]:
                inner = argument.value if isinstance(argument, ast.Starred) else argument
                yield from ((o, escape) for o in self.objects.of(inner))
            yield from ((o, escape) for o in self.objects.receivers(node)[0])
