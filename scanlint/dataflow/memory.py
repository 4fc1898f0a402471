"""Reaching definitions of the cells of objects: items and attributes, whatever name leads to them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cached_property

from scanlint.dataflow.effects import changed, reachable
from scanlint.dataflow.graph import Call, Event, Leave, Load, Look, Make, Store
from scanlint.dataflow.library import METHODS
from scanlint.dataflow.locations import REST, Cell, Definition, Key, Kind, Object, Variable, constant_key
from scanlint.dataflow.objects import Objects
from scanlint.dataflow.points import ANYTHING, negative, type_of
from scanlint.dataflow.reaching import Names
from scanlint.dataflow.ssa import Ssa, Step
from scanlint.dataflow.summary import Root, arguments

MOST_STEPS = 200_000
"""Steps over all cells beyond which objects from outside are not told apart."""


class Memory:
    """The cells of a function in single assignment form."""

    def __init__(self, names: Names, objects: Objects) -> None:
        self.names = names
        self.objects = objects
        self.graph = names.graph
        self.closures = names.closures
        self.defined: dict[tuple[ast.AST, Kind], list[Definition]] = defaultdict(list)
        self.sites: set[ast.AST] = set()
        self._named: dict[Variable, frozenset[Object]] = {}
        self._called = {e.node.func for b in self.graph.blocks for e in b.events if isinstance(e, Call)}
        self._cells: dict[Object, dict[Key, Cell]] = defaultdict(dict)
        self._shared: dict[Key, list[Cell]] = defaultdict(list)
        for block in self.graph.blocks:
            for event in block.events:
                self._declare(event)
        self._old = self._summaries()
        for cells in self._cells.values():
            for key, cell in cells.items():
                if self._exposed(cell.object):
                    self._shared[key].append(cell)
        steps = [[s for e in b.events for s in self._steps(e)] for b in self.graph.blocks]
        self.ssa: Ssa[Cell] = Ssa(self.graph, names.tree, steps, self._initial)

    # -- which cells there are

    def _declare(self, event: Event) -> None:
        match event:
            case Load(node) | Store(node):
                for owner in self.objects.of(node.value) if node not in self._called else ():
                    if not self._method(owner, node):
                        self._cell(owner, self.key(owner, node))
            case Make(node):
                self.sites.add(node)
                for key in _display(node) or {}:
                    if not negative(key):
                        self._cell(Object(node, True), key)
            case Call(node):
                self.sites.add(node)
                made = Object(node, True)
                if made in self.objects.of(node) and type_of(made, self.closures):
                    for keyword in node.keywords:
                        if keyword.arg:
                            self._cell(made, Key("item", keyword.arg))

    def _cell(self, owner: Object, key: Key) -> Cell:
        cells = self._cells[owner]
        if REST not in cells:
            cells[REST] = Cell(owner, REST)
        return cells.setdefault(key, Cell(owner, key))

    def key(self, owner: Object, node: ast.Subscript | ast.Attribute) -> Key:
        """The key of an access to an object; one from the end counts from the start where the length is known."""
        if isinstance(node, ast.Attribute):
            return Key("attr", node.attr)
        key = constant_key(node.slice)
        if negative(key) and (length := self._length(owner)) is not None:
            return Key("item", length + key.value)  # type: ignore[operator]
        return key

    def _method(self, owner: Object, node: ast.Subscript | ast.Attribute) -> bool:
        """Whether an attribute is a method of a container."""
        return isinstance(node, ast.Attribute) and f"{type_of(owner, self.closures)}.{node.attr}" in METHODS

    def _length(self, owner: Object) -> int | None:
        match owner.origin:
            case ast.Tuple(elts=elements) | ast.List(elts=elements) if owner.fresh and not owner.path:
                plain = not any(isinstance(e, ast.Starred) for e in elements)
                same = owner not in self.objects.resized and owner not in self.objects.exposed
                return len(elements) if plain and same else None
        return None

    def _exposed(self, owner: Object) -> bool:
        return not owner.fresh or owner in self.objects.exposed

    def _summaries(self) -> set[Object]:
        """Objects made in a loop that may outlive their trip: one stands for many, none is changed for sure."""
        held = {o for cells in self.objects.cells.values() for cell in cells.values() for o in self.objects.found(cell)}
        for region in self.graph.loops.values():
            for phi in self.names.ssa.phis[region.head].values():
                held |= self.objects.value(phi)
        found = {o for o in held if isinstance(o.origin, ast.AST) and self._in_loop(o.origin)}
        deep = {o for o in self._cells if any(k == REST for k in o.path) or o == ANYTHING}
        return found | deep

    def _in_loop(self, origin: ast.AST) -> bool:
        block = self._blocks.get(origin)
        return block is None or any(region.holds(block) for region in self.graph.loops.values())

    @cached_property
    def _blocks(self) -> dict[ast.AST, int]:
        return {e.node: b.id for b in self.graph.blocks for e in b.events}

    def _initial(self, cell: Cell) -> Definition:
        """What a cell holds where the function begins; one of an object that is made later holds nothing."""
        made = cell.object.fresh and cell.object.origin in self.sites
        return Definition(self.names.function, cell, Kind.UNBOUND if made else Kind.INITIAL)

    # -- what the events do to them

    def overlapping(self, owner: Object, key: Key) -> Iterator[tuple[Cell, bool]]:
        """The cells of an object that a key may mean, and whether it surely means it."""
        for other, cell in self._cells.get(owner, {}).items():
            if _overlap(key, other, type_of(owner, self.closures)):
                yield cell, key == other and key != REST

    def _steps(self, event: Event) -> Iterator[Step]:
        match event:
            case Load(node) if node not in self._called:
                yield from self._load(node)
            case Store(node, kind):
                yield from self._store(node, kind)
            case Look(node) | Leave(node):
                yield from self._looks(node, self.objects.of(node))
            case Make(node):
                yield from self._make(node, _display(node))
            case Call(node):
                yield from self._call(node)

    def _load(self, node: ast.Subscript | ast.Attribute) -> Iterator[Step]:
        for owner in self.objects.of(node.value):
            key = self.key(owner, node)
            for cell, exact in self.overlapping(owner, key):
                if exact or key == REST:
                    yield Step(node, cell, None)

    def _store(self, node: ast.Subscript | ast.Attribute, kind: Kind) -> Iterator[Step]:
        owners = self.objects.of(node.value)
        sole = len(owners) == 1 and not owners & self._old
        keys = {self.key(owner, node) for owner in owners}
        for owner in owners:
            for cell, exact in self.overlapping(owner, self.key(owner, node)):
                yield self._change(node, cell, kind, weak=not (sole and exact))
        if any(self._exposed(owner) for owner in owners):
            for cell in self._aliases(keys):
                if cell.object not in owners:
                    yield self._change(node, cell, kind, weak=True)

    def _aliases(self, keys: Iterable[Key]) -> Iterator[Cell]:
        """The cells under these keys of all objects that may be one another."""
        for other, cells in self._shared.items():
            if any(_overlap(key, other, None) for key in keys):
                yield from cells

    def _change(self, node: ast.AST, cell: Cell, kind: Kind, weak: bool) -> Step:
        definition = Definition(node, cell, kind)
        self.defined[node, kind].append(definition)
        return Step(node, cell, definition, weak)

    def _looks(self, node: ast.AST, found: Iterable[Object]) -> Iterator[Step]:
        for owner in reachable(self.objects, frozenset(found)):
            for cell in self._cells.get(owner, {}).values():
                yield Step(node, cell, None)

    def _make(self, node: ast.expr, display: dict[Key, ast.expr] | None) -> Iterator[Step]:
        owner = Object(node, True)
        for key, cell in self._cells.get(owner, {}).items():
            if display is None:
                yield self._change(node, cell, Kind.INITIAL, weak=owner in self._old)
            elif key in display:
                yield self._change(display[key], cell, Kind.ITEM, weak=owner in self._old)
            else:
                yield self._change(node, cell, Kind.ABSENT, weak=owner in self._old)

    def _call(self, node: ast.Call) -> Iterator[Step]:
        effect = self.objects.effect(node)
        for argument in [*node.args, *(k.value for k in node.keywords)]:
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            yield from self._looks(inner, self.objects.of(inner))
        receivers = self.objects.receivers(node)[0]
        yield from self._looks(node, receivers)
        found = set[Object]()
        if effect is not None:
            found |= changed(self.objects, node)
        wild = effect is None and not self.closures.local(node)
        for function in self.closures.reached(self.closures.runs(node)):
            summary = self.objects.summary(function)
            wild = wild or summary.unknown
            for root, argument in arguments(function, node):
                if root in summary.mutates:
                    found |= reachable(self.objects, self.objects.of(argument))
            for capture in self.closures.scopes.captures[function]:
                held = self._held(capture.variable)
                yield from self._looks(capture.node, held)
                if Root(capture.variable.name, True) in summary.mutates:
                    found |= reachable(self.objects, held)
        if wild:
            found |= {owner for owner in self._cells if self._exposed(owner)}
        for owner in found:
            for cell in self._cells.get(owner, {}).values():
                yield self._change(node, cell, Kind.CALL, weak=True)
        if (made := Object(node, True)) in self._cells:
            yield from self._make(node, self._keywords(made, node))

    def _held(self, variable: Variable) -> frozenset[Object]:
        """All that a name may be."""
        if variable not in self._named:
            ssa = self.names.ssa
            values = [v for v in (ssa.starts.get(variable), *ssa.values.get(variable, ())) if v is not None]
            self._named[variable] = frozenset().union(*map(self.objects.value, values))
        return self._named[variable]

    def _keywords(self, made: Object, node: ast.Call) -> dict[Key, ast.expr] | None:
        """`dict(y=1)`: the items that a container has from the start, if they are all written there."""
        if type_of(made, self.closures) is None or node.args or not all(k.arg for k in node.keywords):
            return None
        return {Key("item", k.arg): k.value for k in node.keywords}

    # -- questions

    def definitions(self, node: ast.AST) -> frozenset[Definition]:
        """The definitions that may reach an item or attribute where it is read."""
        found = [self.ssa.definitions(value) for _, value in self.ssa.at.get(node, ())]
        return frozenset(d for each in found for d in each if d.kind is not Kind.UNBOUND)


def _overlap(key: Key, other: Key, kind: str | None) -> bool:
    """Whether two keys of one object, of this type, may lead to the same place."""
    if key == other:
        return True
    if "attr" in (key.kind, other.kind):
        return False
    if REST in (key, other):
        return True
    numbers = isinstance(key.value, int) and isinstance(other.value, int)
    return numbers and kind != "dict" and negative(key) != negative(other)


def _display(node: ast.expr) -> dict[Key, ast.expr] | None:
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
