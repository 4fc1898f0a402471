"""Reaching definitions of the cells of objects: items and attributes, whatever name leads to them."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator

from scanlint.dataflow.control.blocks import Calling, Event, Leave, Load, Look, Make, Store
from scanlint.dataflow.heap.cells import Cells, display
from scanlint.dataflow.heap.effects import among, changed, given, reachable
from scanlint.dataflow.heap.objects import Objects
from scanlint.dataflow.heap.outcomes import Root, arguments
from scanlint.dataflow.heap.points import ANYTHING
from scanlint.dataflow.joins import Occurrence
from scanlint.dataflow.locations import REST, Cell, Definition, DefinitionKind, Key, Location, Object, Variable
from scanlint.dataflow.reaching import Names
from scanlint.dataflow.ssa import Ssa

MOST_STEPS = 16
"""Steps over cells for each event, and as many thousands, beyond which objects from outside are not told apart."""


class Memory:
    """The cells of a function in single assignment form."""

    def __init__(self, names: Names, objects: Objects) -> None:
        self.names = names
        self.objects = objects
        self.closures = names.closures
        self.cells = Cells(names, objects, coarse=False)
        self.defined: dict[tuple[ast.AST, DefinitionKind], list[Definition]] = defaultdict(list)
        self._named: dict[Variable, frozenset[Object]] = {}
        self._reaching: dict[frozenset[Object], tuple[Object, ...]] = {}
        steps = self._every_step()
        if steps is None:
            self.cells = Cells(names, objects, coarse=True)
            self.defined.clear()
            self._reaching.clear()
            steps = self._every_step()
        assert steps is not None
        self.ssa: Ssa = Ssa(names.graph, names.tree, steps, self._initial)

    def _every_step(self) -> list[list[Occurrence]] | None:
        """The steps of all blocks; None where they are too many for objects to be told apart."""
        blocks = self.names.graph.blocks
        most = MOST_STEPS * (1000 + sum(len(b.events) for b in blocks))
        every: list[list[Occurrence]] = []
        for block in blocks:
            steps = list[Occurrence]()
            for event in block.events:
                found = list(self._steps(event))
                steps += found
                most -= len(found)
                if most < 0 and not self.cells.coarse:
                    return None
            every.append(steps)
        return every

    def _initial(self, cell: Location) -> Definition:
        """What a cell holds where the function begins; one of an object that is made later holds nothing."""
        assert isinstance(cell, Cell)
        made = cell.object.fresh and cell.object.origin in self.cells.sites
        return Definition(self.names.function, cell, DefinitionKind.UNBOUND if made else DefinitionKind.INITIAL)

    # -- what the events do to the cells

    def _steps(self, event: Event) -> Iterator[Occurrence]:
        match event:
            case Load(node) if node not in self.cells.called:
                yield from self._load(node)
            case Store(node, kind):
                yield from self._store(node, kind)
            case Look(node) | Leave(node):
                yield from self._looks(node, self.objects.of(node))
            case Make(node):
                yield from self._make(node, display(node))
            case Calling(node):
                yield from self._call(node)

    def _load(self, node: ast.Subscript | ast.Attribute) -> Iterator[Occurrence]:
        for owner in self.cells.owners(node):
            key = self.cells.key(owner, node)
            found = dict(self.cells.overlapping(owner, key))
            named = [cell for cell in found if cell.key == key]
            for cell in named if named and key != REST else found:
                yield Occurrence(node, cell, None)

    def _store(self, node: ast.Subscript | ast.Attribute, kind: DefinitionKind) -> Iterator[Occurrence]:
        owners = self.cells.owners(node)
        keys = {owner: self.cells.key(owner, node) for owner in owners}
        for owner, key in keys.items():
            for cell, sure in self.cells.overlapping(owner, key):
                yield self._change(node, cell, kind, weak=not (sure and len(owners) == 1 and cell.key == key))
        if any(self.cells.exposed(owner) for owner in owners):
            for cell in self.cells.aliases(set(keys.values())):
                if cell.object not in owners:
                    yield self._change(node, cell, kind, weak=True)

    def _change(self, node: ast.AST, cell: Cell, kind: DefinitionKind, weak: bool) -> Occurrence:
        definition = Definition(node, cell, kind)
        self.defined[node, kind].append(definition)
        return Occurrence(node, cell, definition, weak)

    def _looks(self, node: ast.AST, found: Iterable[Object]) -> Iterator[Occurrence]:
        for owner in self._reached(frozenset(found)):
            for cell in self.cells.of.get(owner, {}).values():
                yield Occurrence(node, cell, None)

    def _reached(self, found: frozenset[Object]) -> tuple[Object, ...]:
        """The objects that can be got at from these, as the cells know them."""
        if found not in self._reaching:
            homes = frozenset(map(self.cells.home, found))
            every = homes | set(map(self.cells.home, reachable(self.objects, homes - {ANYTHING})))
            self._reaching[found] = tuple(every)
        return self._reaching[found]

    def _make(self, node: ast.expr, items: dict[Key, ast.expr] | None) -> Iterator[Occurrence]:
        made = Object(node, True)
        if self.cells.home(made) == ANYTHING:
            for value in (items or {}).values():
                yield self._change(value, Cell(ANYTHING, REST), DefinitionKind.ITEM, weak=True)
            return
        for key, cell in self.cells.of.get(made, {}).items():
            if items is None:
                yield self._change(node, cell, DefinitionKind.INITIAL, weak=made in self.cells.old)
            elif key in items:
                yield self._change(items[key], cell, DefinitionKind.ITEM, weak=made in self.cells.old)
            else:
                yield self._change(node, cell, DefinitionKind.ABSENT, weak=made in self.cells.old)
            if key == REST and self.cells.coarse and items:
                for value in items.values():
                    yield self._change(value, cell, DefinitionKind.ITEM, weak=True)

    def _call(self, node: ast.Call) -> Iterator[Occurrence]:
        effect = self.objects.effect(node)
        for argument in [*node.args, *(k.value for k in node.keywords)] if effect is None or not effect.keeps else ():
            inner = argument.value if isinstance(argument, ast.Starred) else argument
            yield from self._looks(inner, self.objects.of(inner))
        yield from self._looks(node, self.objects.receivers(node)[0])
        found = set() if effect is None else set(changed(self.objects, node))
        wild = effect is None and not self.closures.local(node)
        for function in self.closures.reached(self.closures.runs(node)):
            wild = wild or self.objects.summary(function).unknown
            yield from self._inner(node, function, found)
        if wild:
            found |= {owner for owner in self.cells.of if self.cells.exposed(owner)}
        for owner in dict.fromkeys(map(self.cells.home, found)):
            for cell in self.cells.of.get(owner, {}).values():
                yield self._change(node, cell, DefinitionKind.CALL, weak=True)
        if node in self.cells.sites:
            yield from self._make(node, self._keywords(node))

    def _inner(self, node: ast.Call, function: ast.AST, found: set[Object]) -> Iterator[Occurrence]:
        """What an inner function reads; what it changes is found."""
        summary = self.objects.summary(function)
        for root, argument in arguments(function, node):
            found |= given(self.objects, root, argument, summary.mutates)
        for capture in self.closures.scopes.captures[function]:
            held = self.held(capture.variable)
            yield from self._looks(capture.node, held)
            found |= among(self.objects, Root(capture.variable.name, True), held, summary.mutates)

    def held(self, variable: Variable) -> frozenset[Object]:
        """All that a name may be."""
        if variable not in self._named:
            ssa = self.names.ssa
            values = [v for v in (ssa.starts.get(variable), *ssa.values.get(variable, ())) if v is not None]
            self._named[variable] = frozenset().union(*map(self.objects.value, values))
        return self._named[variable]

    def _keywords(self, node: ast.Call) -> dict[Key, ast.expr] | None:
        """`dict(y=1)`: the items that a container has from the start, if they are all written there."""
        if node.args or not all(k.arg for k in node.keywords):
            return None
        return {Key("item", k.arg): k.value for k in node.keywords}

    # -- questions

    def definitions(self, node: ast.AST) -> frozenset[Definition]:
        """The definitions that may reach an item or attribute where it is read."""
        found = [self.ssa.definitions(value) for _, value in self.ssa.at.get(node, ())]
        return frozenset(d for each in found for d in each if d.kind is not DefinitionKind.UNBOUND)
