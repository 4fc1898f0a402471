"""The analyses of one function, each worked out when it is first asked for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from functools import cached_property

from scanlint.dataflow.captures import Closures
from scanlint.dataflow.control.blocks import FlowGraph
from scanlint.dataflow.control.builder import FlowBuilder
from scanlint.dataflow.control.scopes import FUNCTIONS
from scanlint.dataflow.heap.accesses import Accesses
from scanlint.dataflow.heap.effects import Siblings, summarise
from scanlint.dataflow.heap.escape import Escapes
from scanlint.dataflow.heap.memory import Memory
from scanlint.dataflow.heap.objects import Objects
from scanlint.dataflow.heap.outcomes import Effects
from scanlint.dataflow.reaching import Names
from scanlint.syntax.bindings import Function

Resolve = Callable[[ast.AST], str | None]


class Analyses:
    """`siblings` are functions from outside that do only what their own summaries say."""

    def __init__(self, function: Function, resolve: Resolve, siblings: Collection[str] = ()) -> None:
        self.function = function
        self.resolve = resolve
        self._siblings = siblings

    @cached_property
    def builder(self) -> FlowBuilder:
        """What built the control flow, with the scopes."""
        return FlowBuilder(self.function, self.resolve)

    @property
    def graph(self) -> FlowGraph:
        """The control flow of the function."""
        return self.builder.graph

    @cached_property
    def closures(self) -> Closures:
        """What the inner functions take, and which calls run them."""
        return Closures(self.graph, self.builder.scopes, self.resolve)

    @cached_property
    def names(self) -> Names:
        """The names of the function."""
        return Names(self.function, self.graph, self.closures)

    @cached_property
    def objects(self) -> Objects:
        """The objects that the expressions of the function may be."""
        return Objects(self.names, self.closures, self.summary, self._siblings)

    @cached_property
    def memory(self) -> Memory:
        """The items and attributes of the objects."""
        return Memory(self.names, self.objects)

    @cached_property
    def used(self) -> Accesses:
        """What is done with each object."""
        return Accesses(self.memory)

    @cached_property
    def escapes(self) -> Escapes:
        """Where objects get out."""
        return Escapes(self.memory)

    def summary(self, function: ast.AST) -> Effects:
        """What running an inner function does."""
        return self._summaries.get(function, Effects())

    @cached_property
    def _summaries(self) -> dict[ast.AST, Effects]:
        """The summaries of all inner functions: they grow until what one does to another is in all of them."""
        bound: dict[str, list[ast.AST]] = {}
        for variable, functions in self.closures.bound.items():
            bound.setdefault(variable.name, []).extend(functions)
        inner = {f: Analyses(f, self.resolve, bound) for f in self.closures.made if isinstance(f, FUNCTIONS)}
        known = dict.fromkeys(self.closures.made, Effects())
        changed = True
        while changed:
            changed = False
            for function, each in inner.items():
                found = summarise(each.names, each.objects, Siblings(bound, known))
                if found != known[function]:
                    known[function], changed = found, True
        return known
