"""Static single assignment: which definition each read of a location sees, with an explicit join where two meet."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from scanlint.dataflow.control.blocks import FlowGraph
from scanlint.dataflow.control.dominance import Dominance
from scanlint.dataflow.joins import Occurrence, joins
from scanlint.dataflow.locations import Definition, Variable


class Phi:
    """The join of a location at the start of a block; `sources` are the blocks that the operands come from."""

    __slots__ = ("block", "location", "operands", "sources")

    def __init__(self, block: int, location: Variable) -> None:
        self.block = block
        self.location = location
        self.operands: list[Value] = []
        self.sources: list[int] = []


class Update:
    """A definition that may leave what was there before, or a part of it."""

    __slots__ = ("definition", "previous")

    def __init__(self, definition: Definition, previous: Value) -> None:
        self.definition = definition
        self.previous = previous


Value = Definition | Phi | Update


class Read(NamedTuple):
    """A read, and the value that it sees."""

    node: ast.AST
    value: Value


def operands(value: Value) -> list[Value]:
    """The values that a join or an update goes on from."""
    match value:
        case Phi():
            return value.operands
        case Update():
            return [value.previous]
    return []


def own(value: Value) -> Definition | None:
    """The definition that a value is itself."""
    return None if isinstance(value, Phi) else value.definition if isinstance(value, Update) else value


def location_of(value: Value) -> Variable:
    """The location that has a value."""
    return value.definition.location if isinstance(value, Update) else value.location


Onward = tuple[dict[int, list[Value]], dict[int, list[Read]]]
"""By the identity of a value: the values that go on from it, and the reads that see it."""


class Ssa:
    """The values of some locations through a graph.

    `steps` are the reads and definitions of each block in order, `initial` what a location is at the start. `behind`
    gives the nodes that the node of a read stands for, where it stands for others.
    """

    def __init__(
        self,
        graph: FlowGraph,
        tree: Dominance,
        steps: list[list[Occurrence]],
        initial: Callable[[Variable], Definition],
        behind: Mapping[ast.AST, list[ast.AST]] | None = None,
    ) -> None:
        self._behind = behind or {}
        self.graph = graph
        self.tree = tree
        self._initial = initial
        self._steps = steps
        self.starts: dict[Variable, Definition] = {}
        self.reads: dict[Variable, list[Read]] = defaultdict(list)
        self.at: dict[ast.AST, list[tuple[Variable, Value]]] = defaultdict(list)
        self.values: dict[Variable, list[Phi | Update | Definition]] = defaultdict(list)
        self.phis: list[dict[Variable, Phi]] = [{} for _ in graph.blocks]
        self.made: dict[Definition, list[Value]] = defaultdict(list)
        self._out: list[dict[Variable, Value]] = [{} for _ in graph.blocks]
        self._masks: dict[Variable, tuple[list[Definition], dict[int, int]]] = {}
        self._forward: dict[Variable, Onward] = {}
        for block, location in joins(graph, tree, steps):
            self.phis[block][location] = Phi(block, location)
        self._rename()

    # -- construction

    def _rename(self) -> None:
        """Walk the dominator tree with the value that each location has; what a block set is undone after it."""
        after: list[list[int]] = [[] for _ in self.graph.blocks]
        for each in self.graph.blocks:
            for source in each.before:
                after[source].append(each.id)
        current: dict[Variable, Value] = {}
        undo: list[tuple[Variable, Value | None]] = []
        stack: list[tuple[int, int]] = [(0, -1)]
        while stack:
            block, mark = stack.pop()
            if mark >= 0:
                while len(undo) > mark:
                    location, before = undo.pop()
                    if before is None:
                        del current[location]
                    else:
                        current[location] = before
                continue
            stack.append((block, len(undo)))
            self._fill(block, current, undo)
            for target in after[block]:
                for location, phi in self.phis[target].items():
                    phi.operands.append(current.get(location) or self.start(location))
                    phi.sources.append(block)
            stack += [(child, -1) for child in reversed(self.tree.children[block])]

    def _fill(self, block: int, current: dict[Variable, Value], undo: list[tuple[Variable, Value | None]]) -> None:
        out = self._out[block]
        for location, phi in self.phis[block].items():
            undo.append((location, current.get(location)))
            current[location] = out[location] = phi
            self.values[location].append(phi)
        for step in self._steps[block]:
            location, definition = step.location, step.definition
            if definition is None or step.weak:
                value = current.get(location) or self.start(location)
                if definition is None:
                    self.reads[location].append(Read(step.node, value))
                    seen = self.at[step.node]
                    if not seen or seen[-1] != (location, value):
                        seen.append((location, value))
                    continue
            made = Update(definition, value) if step.weak else definition
            undo.append((location, current.get(location)))
            current[location] = out[location] = made
            self.values[location].append(made)
            self.made[definition].append(made)

    def start(self, location: Variable) -> Definition:
        """The version of a location where the function begins."""
        found = self.starts.get(location)
        if found is None:
            found = self.starts[location] = self._initial(location)
            self.made[found].append(found)
        return found

    # -- questions

    def nodes(self, reads: Iterable[Read]) -> tuple[ast.AST, ...]:
        """The nodes that read, each once."""
        return tuple(dict.fromkeys(n for r in reads for n in self._behind.get(r.node, (r.node,))))

    def into(self, block: int, location: Variable) -> Value:
        """The value of a location where a block begins."""
        phi = self.phis[block].get(location)
        while phi is None and block != 0:
            block = self.tree.parent[block]
            if (found := self._out[block].get(location)) is not None:
                return found
        return phi or self.start(location)

    def definitions(self, value: Value) -> frozenset[Definition]:
        """The definitions that a value may come from."""
        if isinstance(value, tuple):
            return frozenset([value])
        known, masks = self._solve(location_of(value))
        if isinstance(value, Update) and id(value) not in masks:
            return self.definitions(value.previous) | {value.definition}
        bits = bin(masks[id(value)])[:1:-1]
        return frozenset(definition for definition, bit in zip(known, bits, strict=False) if bit == "1")

    def _solve(self, location: Variable) -> tuple[list[Definition], dict[int, int]]:
        """The fixpoint of the joins of a location, with a bit for each definition."""
        if location in self._masks:
            return self._masks[location]
        known: dict[Definition, int] = {}
        masks: dict[int, int] = {}
        for value in [self.start(location), *self.values[location]]:
            definition = own(value)
            bit = 0 if definition is None else 1 << known.setdefault(definition, len(known))
            masks[id(value)] = bit
        joins = [v for v in self.values[location] if not isinstance(v, tuple)]
        changed = True
        while changed:
            changed = False
            for value in joins:
                mask = masks[id(value)]
                wider = mask
                for operand in operands(value):
                    definition = operand if isinstance(operand, tuple) else None
                    wider |= masks[id(operand)] if definition is None else 1 << known[definition]
                if wider != mask:
                    masks[id(value)], changed = wider, True
        self._masks[location] = list(known), masks
        return self._masks[location]

    def reached(self, value: Value) -> Iterator[Read]:
        """The reads that may see a value, itself or through joins and updates."""
        onward, reads = self._onward(location_of(value))
        seen, stack = {id(value)}, [value]
        while stack:
            at = stack.pop()
            yield from reads.get(id(at), ())
            for next_ in onward.get(id(at), ()):
                if id(next_) not in seen:
                    seen.add(id(next_))
                    stack.append(next_)

    def _onward(self, location: Variable) -> Onward:
        if location in self._forward:
            return self._forward[location]
        onward: dict[int, list[Value]] = defaultdict(list)
        reads: dict[int, list[Read]] = defaultdict(list)
        for value in self.values[location]:
            for operand in operands(value):
                onward[id(operand)].append(value)
        for read in self.reads[location]:
            reads[id(read.value)].append(read)
        self._forward[location] = onward, reads
        return onward, reads

    def live(self, location: Variable) -> set[int]:
        """The values that some read sees, by identity."""
        stack = [read.value for read in self.reads[location]]
        seen = {id(value) for value in stack}
        while stack:
            for operand in operands(stack.pop()):
                if id(operand) not in seen:
                    seen.add(id(operand))
                    stack.append(operand)
        return seen
