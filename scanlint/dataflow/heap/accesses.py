"""What a function does with one object, by whatever name: each place that reads, changes, keeps or hands it on."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from scanlint.dataflow.control.blocks import Calling, Define, Event, Leave, Load, Look, Make, Store
from scanlint.dataflow.heap.memory import Memory
from scanlint.dataflow.locations import DefinitionKind, Key, Object, Part


class Role(StrEnum):
    """What a place does with an object."""

    READ = "read"
    STORE = "store"
    AUGMENT = "augment"
    DELETE = "delete"
    METHOD = "method"
    ARGUMENT = "argument"
    WHOLE = "whole"
    ITERATED = "iterated"
    HELD = "held"
    RETURNED = "returned"
    YIELDED = "yielded"
    RAISED = "raised"
    CAPTURED = "captured"


class Access(NamedTuple):
    """One place: the expression that is the object there, the node that does something with it, and what it does.

    `key` is the item or attribute, `method` the name of a method. `sure`: the expression is that object and no other.
    """

    place: ast.AST
    node: ast.AST
    role: Role
    sure: bool
    block: int
    key: Key | None = None
    method: str | None = None


class Accesses:
    """The accesses to each object, in the order of evaluation."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.objects = memory.objects
        self.of: dict[Object, list[Access]] = defaultdict(list)
        self._iterated = {
            e.source.base
            for b in memory.names.graph.blocks
            for e in b.events
            if isinstance(e, Define) and e.kind is DefinitionKind.FOR and isinstance(e.source, Part)
        }
        for block in memory.names.graph.blocks:
            for event in block.events:
                for owner, access in self._accesses(event, block.id):
                    self.of[owner].append(access)

    def _each(
        self, place: ast.expr, node: ast.AST, role: Role, block: int, method: str | None = None
    ) -> Iterator[tuple[Object, Access]]:
        found = self.objects.of(place)
        for owner in found:
            yield owner, Access(place, node, role, len(found) == 1, block, None, method)

    def _accesses(self, event: Event, block: int) -> Iterator[tuple[Object, Access]]:
        match event:
            case Load(node) if node not in self.memory.cells.called:
                yield from self._keyed(node, Role.READ, block)
            case Store(node, kind, source):
                roles = {DefinitionKind.AUGMENT: Role.AUGMENT, DefinitionKind.DELETE: Role.DELETE}
                yield from self._keyed(node, roles.get(kind, Role.STORE), block)
                if isinstance(source, ast.expr):
                    yield from self._each(source, node, Role.HELD, block)
            case Look(node):
                role = Role.ITERATED if node in self._iterated else Role.WHOLE
                yield from self._each(node, node, role, block)
            case Leave(node, why):
                yield from self._each(node, node, Role(why), block)
            case Make(node):
                for part in _parts(node):
                    yield from self._each(part, node, Role.HELD, block)
            case Define(node, _, DefinitionKind.AUGMENT):
                for owner in self.objects.value(self.memory.names.ssa.at[node][0][1]):
                    yield owner, Access(node, node, Role.AUGMENT, True, block)
            case Calling(node):
                yield from self._call(node, block)

    def _keyed(self, node: ast.Subscript | ast.Attribute, role: Role, block: int) -> Iterator[tuple[Object, Access]]:
        owners = self.objects.of(node.value)
        for owner in owners:
            key = self.memory.cells.key(owner, node)
            yield owner, Access(node.value, node, role, len(owners) == 1, block, key)

    def _call(self, node: ast.Call, block: int) -> Iterator[tuple[Object, Access]]:
        receivers, method = self.objects.receivers(node)
        place = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        for owner in receivers:
            yield owner, Access(place, node, Role.METHOD, len(receivers) == 1, block, None, method)
        for argument in [*node.args, *(k.value for k in node.keywords)]:
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            kept = node in self.memory.cells.sites and argument not in node.args
            yield from self._each(inner, node, Role.HELD if kept else Role.ARGUMENT, block)
        closures = self.memory.closures
        for function in closures.reached(closures.runs(node)):
            for capture in closures.scopes.captures[function]:
                for owner in self.memory.held(capture.variable):
                    yield owner, Access(capture.node, node, Role.CAPTURED, False, block)


def _parts(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [p for p in parts if not isinstance(p, ast.Starred)]
        case ast.Dict(values=parts):
            return parts
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.DictComp(value=part):
            return [part]
    return []
