"""The cells that a function has to do with, and which of them a key may mean."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property

from scanlint.dataflow.control.blocks import Calling, Event, Load, Make, Store
from scanlint.dataflow.heap.objects import Objects
from scanlint.dataflow.heap.points import ANYTHING, negative, type_of
from scanlint.dataflow.library import METHODS
from scanlint.dataflow.locations import REST, Cell, Key, Object, constant_key
from scanlint.dataflow.reaching import Names

MOST_KEYS = 32
"""Keys of one object that are told apart where there is too much to tell."""


class Cells:
    """Cells by their objects; `old` are the objects of which one stands for many.

    `coarse`: all objects that code which is not known may hold are one, and one cell.
    """

    def __init__(self, names: Names, objects: Objects, coarse: bool) -> None:
        self.names = names
        self.objects = objects
        self.graph = names.graph
        self.closures = names.closures
        self.coarse = coarse
        self.sites: set[ast.AST] = set()
        self.called = {e.node.func for b in self.graph.blocks for e in b.events if isinstance(e, Calling)}
        self.of: dict[Object, dict[Key, Cell]] = defaultdict(dict)
        self._signed: dict[Object, tuple[list[Cell], list[Cell]]] = defaultdict(lambda: ([], []))
        self._shared: dict[Key, list[Cell]] = defaultdict(list)
        for block in self.graph.blocks:
            for event in block.events:
                self._declare(event)
        self.old = self._summaries()
        for cells in self.of.values():
            for key, cell in cells.items():
                if self.exposed(cell.object):
                    self._shared[key].append(cell)

    def _declare(self, event: Event) -> None:
        match event:
            case Load(node) | Store(node):
                for owner in self.owners(node) if node not in self.called else ():
                    if not self._method(owner, node):
                        self._cell(owner, self.key(owner, node))
            case Make(node):
                self._site(node, display(node))
            case Calling(node):
                made = Object(node, True)
                if type_of(made, self.closures):
                    self._site(node, {Key("item", k.arg): k.value for k in node.keywords if k.arg})

    def _site(self, node: ast.expr, items: dict[Key, ast.expr] | None) -> None:
        self.sites.add(node)
        made = self.home(Object(node, True))
        for key in items or {}:
            if not negative(key):
                self._cell(made, REST if made == ANYTHING else key)

    def _cell(self, owner: Object, key: Key) -> None:
        cells = self.of[owner]
        if self.coarse and len(cells) > MOST_KEYS:
            key = REST
        for each in (REST, key):
            if each not in cells:
                cells[each] = Cell(owner, each)
                if each.kind == "item" and isinstance(each.value, int):
                    self._signed[owner][negative(each)].append(cells[each])

    def home(self, owner: Object) -> Object:
        """The object that stands for one."""
        return ANYTHING if self.coarse and self.exposed(owner) else owner

    def owners(self, node: ast.Subscript | ast.Attribute) -> Collection[Object]:
        """The objects whose item or attribute an expression is."""
        found = self.objects.of(node.value)
        return {self.home(o) for o in found} if self.coarse else found

    def key(self, owner: Object, node: ast.Subscript | ast.Attribute) -> Key:
        """The key of an access to an object; one from the end counts from the start where the length is known."""
        if owner == ANYTHING:
            return REST
        if isinstance(node, ast.Attribute):
            return Key("attr", node.attr)
        key = constant_key(node.slice)
        if negative(key) and (length := self._length(owner)) is not None:
            return Key("item", length + key.value)  # type: ignore[operator]
        return key

    def _length(self, owner: Object) -> int | None:
        match owner.origin:
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if owner.fresh and not owner.path:
                plain = not any(isinstance(e, ast.Starred) for e in elements)
                same = owner not in self.objects.resized and owner not in self.objects.exposed
                return len(elements) if plain and same else None
        return None

    def _method(self, owner: Object, node: ast.Subscript | ast.Attribute) -> bool:
        """Whether an attribute is a method of a container."""
        return isinstance(node, ast.Attribute) and f"{type_of(owner, self.closures)}.{node.attr}" in METHODS

    def exposed(self, owner: Object) -> bool:
        """Whether code that is not known may hold an object."""
        return not owner.fresh or owner in self.objects.exposed

    def _summaries(self) -> set[Object]:
        """Objects made in a loop that may outlive their trip: one stands for many, none is changed for sure."""
        held = {o for cells in self.objects.cells.values() for cell in cells.values() for o in self.objects.found(cell)}
        for region in self.graph.loops.values():
            for phi in self.names.ssa.phis[region.head].values():
                held |= self.objects.value(phi)
        found = {o for o in held if isinstance(o.origin, ast.AST) and self._in_loop(o.origin)}
        deep = {o for o in self.of if any(k == REST for k in o.path) or o == ANYTHING}
        return found | deep

    def _in_loop(self, origin: ast.AST) -> bool:
        block = self._blocks.get(origin)
        return block is None or any(region.holds(block) for region in self.graph.loops.values())

    @cached_property
    def _blocks(self) -> dict[ast.AST, int]:
        return {e.node: b.id for b in self.graph.blocks for e in b.events}

    # -- which cells a key may mean

    def overlapping(self, owner: Object, key: Key) -> Iterator[tuple[Cell, bool]]:
        """The cells of an object that a key may mean, and whether it surely means it."""
        cells = self.of.get(owner)
        if cells is None:
            return
        if key == REST:
            yield from ((cell, False) for other, cell in cells.items() if other.kind != "attr")
            return
        if (cell := cells.get(key)) is not None:
            yield cell, owner not in self.old
        elif key.kind == "item":
            yield cells[REST], False
        if key.kind == "item":
            if isinstance(key.value, int) and type_of(owner, self.closures) != "dict":
                yield from ((cell, False) for cell in self._signed[owner][not negative(key)])

    def aliases(self, keys: Iterable[Key]) -> Iterator[Cell]:
        """The cells under these keys of all objects that may be one another."""
        for key in keys:
            if key.kind == "attr":
                yield from self._shared.get(key, ())
                continue
            for other, cells in self._shared.items():
                number = isinstance(key.value, int) and isinstance(other.value, int)
                if other.kind != "attr" and (
                    REST in (key, other) or key == other or (number and negative(key) != negative(other))
                ):
                    yield from cells


def display(node: ast.expr) -> dict[Key, ast.expr] | None:
    """The items of a display, from both ends; None where they are not all written there."""
    match node:
        case ast.Dict(keys=keys, values=values):
            pairs = {constant_key(k) if k is not None else REST: v for k, v in zip(keys, values, strict=True)}
            return None if REST in pairs else pairs
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            if any(isinstance(e, ast.Starred) for e in elements):
                return None
            ends = {Key("item", k - len(elements)): e for k, e in enumerate(elements)}
            return {Key("item", k): e for k, e in enumerate(elements)} | ends
    return None
