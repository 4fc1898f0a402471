"""Reaching definitions of the names of one function."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from scanlint.dataflow.captures import Closures
from scanlint.dataflow.control.blocks import Calling, Define, FlowGraph, MakeInner, Use
from scanlint.dataflow.control.dominance import Dominance
from scanlint.dataflow.joins import Occurrence
from scanlint.dataflow.locations import Definition, DefinitionKind, Variable
from scanlint.dataflow.ssa import Ssa
from scanlint.syntax.bindings import Function


class Names:
    """The names of a function in single assignment form.

    What an inner function reads of it is read where the inner function may run: `inside` gives for such a name the
    reads that stand for it.
    """

    def __init__(self, function: Function, graph: FlowGraph, closures: Closures) -> None:
        self.function = function
        self.graph = graph
        self.closures = closures
        self.tree = Dominance(graph)
        self.defined: dict[tuple[ast.AST, DefinitionKind], Definition] = {}
        self.sources: dict[Definition, Define] = {}
        self.blocks: dict[ast.AST, int] = {}
        self.inside: dict[ast.AST, list[ast.AST]] = defaultdict(list)
        self.behind: dict[ast.AST, list[ast.AST]] = {}
        self._reading: dict[ast.AST, list[tuple[Variable, ast.AST]]] = {}
        defines = [e for b in graph.blocks for e in b.events if isinstance(e, Define)]
        self.outer_bound = {e.variable: None for e in defines if e.variable.scope is None}
        self.ssa: Ssa = Ssa(graph, self.tree, self._steps(), self._initial, self.behind)

    def _initial(self, variable: Variable) -> Definition:
        """A name of the function is not bound where it begins; one from outside is whatever it is there."""
        kind = (
            DefinitionKind.OUTER
            if variable[0] is None or isinstance(variable[0], ast.ClassDef)
            else DefinitionKind.UNBOUND
        )
        return Definition(self.function, variable, kind)

    def _steps(self) -> list[list[Occurrence]]:
        every = []
        for block in self.graph.blocks:
            steps: list[Occurrence] = []
            for event in block.events:
                if isinstance(event, MakeInner):
                    self.blocks[event.node] = block.id
                elif isinstance(event, Use):
                    self.blocks[event.node] = block.id
                    steps.append(Occurrence(event.node, event.variable, None))
                elif isinstance(event, Define):
                    definition = Definition(event.node, event.variable, event.kind)
                    self.blocks[event.node] = block.id
                    self.defined[event.node, event.kind] = definition
                    self.sources[definition] = event
                    steps.append(Occurrence(event.node, event.variable, definition))
                elif isinstance(event, Calling) and (self.closures.made or self.outer_bound):
                    steps += self._call(event.node)
            if block.id == self.graph.exit and self.closures.made:
                steps += self._run(self.closures.escaped)
            every.append(steps)
        return every

    def _call(self, call: ast.Call) -> Iterator[Occurrence]:
        """The reads and bindings of the inner functions that a call may run; unknown code may bind globals."""
        yield from self._run(self.closures.runs(call))
        if self.outer_bound and self.closures.effect(call) is None:
            for variable in self.outer_bound:
                yield Occurrence(call, variable, Definition(call, variable, DefinitionKind.CALL), weak=True)

    def _run(self, functions: list[ast.AST]) -> Iterator[Occurrence]:
        """All that they may bind, then all that they may read: they may run in any order, and more than once."""
        for function in functions:
            for capture in self.closures.touched(function):
                if capture.stores and self._belongs(capture.variable):
                    definition = Definition(capture.node, capture.variable, DefinitionKind.CALL)
                    self.defined[capture.node, DefinitionKind.CALL] = definition
                    yield Occurrence(capture.node, capture.variable, definition, weak=True)
        for function in functions:
            for variable, marker in self._reads(function):
                yield Occurrence(marker, variable, None)

    def _belongs(self, variable: Variable) -> bool:
        """Whether a variable is one that this function binds."""
        if variable.scope is None:
            return variable in self.outer_bound
        scopes = self.closures.scopes
        return variable.scope in scopes.of and scopes.of[variable.scope].home() is scopes.root

    def _reads(self, function: ast.AST) -> list[tuple[Variable, ast.AST]]:
        """A stand-in for the reads of each name that running an inner function may read."""
        if function in self._reading:
            return self._reading[function]
        found: dict[Variable, list[ast.AST]] = defaultdict(list)
        for capture in self.closures.touched(function):
            if capture.reads and self._belongs(capture.variable):
                found[capture.variable].append(capture.node)
        pairs = self._reading[function] = []
        for variable, nodes in found.items():
            marker = ast.Pass()
            self.behind[marker] = nodes
            pairs.append((variable, marker))
            for node in nodes:
                self.inside[node].append(marker)
        return pairs

    # -- questions

    def definitions(self, node: ast.AST) -> frozenset[Definition]:
        """The definitions that may reach a name where it is read."""
        places = [node, *self.inside.get(node, ())]
        found = [self.ssa.definitions(v) for p in places for _, v in self.ssa.at.get(p, ())]
        return frozenset().union(*found)
