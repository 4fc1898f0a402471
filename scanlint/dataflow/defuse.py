"""Def-use: for each function, which definitions each read sees, and what is read of each definition."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cached_property

from scanlint.dataflow import trips
from scanlint.dataflow.base import Function, children
from scanlint.dataflow.closures import Closures
from scanlint.dataflow.graph import Graph, Region
from scanlint.dataflow.locations import Cell, Definition, Kind, Location, Variable
from scanlint.dataflow.effects import summarise
from scanlint.dataflow.memory import Memory
from scanlint.dataflow.objects import Objects
from scanlint.dataflow.reaching import Names
from scanlint.dataflow.ssa import Ssa
from scanlint.dataflow.statements import Builder
from scanlint.dataflow.summary import Summary
from scanlint.dataflow.webs import Web, webs_of

Resolve = Callable[[ast.AST], str | None]


def _unresolved(node: ast.AST) -> str | None:
    return None


class DefUse:
    """The definitions and reads of one function; each part is worked out when it is first asked for.

    `resolve` gives the canonical name of an expression that an import or a builtin stands for.
    """

    def __init__(self, function: Function, resolve: Resolve = _unresolved) -> None:
        self.function = function
        self.resolve = resolve
        self._inner: dict[ast.AST, DefUse] = {}
        self._summaries: dict[ast.AST, Summary] = {}
        self._webs: dict[Location, tuple[Web, ...]] = {}

    @classmethod
    def of(cls, function: Function, resolve: Resolve = _unresolved, cache: dict[ast.AST, DefUse] | None = None) -> DefUse:
        """The def-use of a function; kept in `cache`, which lives as long as the tree, where one is given."""
        if cache is None:
            return cls(function, resolve)
        if function not in cache:
            cache[function] = cls(function, resolve)
        return cache[function]

    @cached_property
    def _builder(self) -> Builder:
        return Builder(self.function, self.resolve)

    @property
    def graph(self) -> Graph:
        """The control flow of the function."""
        return self._builder.graph

    @cached_property
    def closures(self) -> Closures:
        """What the inner functions take, and which calls run them."""
        return Closures(self.graph, self._builder.scopes, self.resolve)

    @cached_property
    def names(self) -> Names:
        """The names of the function."""
        return Names(self.function, self.graph, self.closures)

    @cached_property
    def objects(self) -> Objects:
        """The objects that the expressions of the function may be."""
        return Objects(self.names, self.closures, self.summary)

    @cached_property
    def memory(self) -> Memory:
        """The items and attributes of the objects."""
        return Memory(self.names, self.objects)

    def summary(self, function: ast.AST) -> Summary:
        """What running an inner function does, but for what the inner functions do that it runs in its turn."""
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return Summary()
        if function not in self._summaries:
            inner = self.inner(function)
            siblings = {v.name for v in self.closures.bound}
            self._summaries[function] = summarise(inner.names, inner.objects, siblings)
        return self._summaries[function]

    # -- inner functions

    @cached_property
    def _owners(self) -> dict[ast.AST, Function]:
        """The innermost function around each node below this one."""
        found: dict[ast.AST, Function] = {}
        body = self.function.body if isinstance(self.function.body, list) else [self.function.body]
        stack: list[tuple[ast.AST, Function]] = [(n, self.function) for n in body]
        while stack:
            node, owner = stack.pop()
            found[node] = owner
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                below = node.body if isinstance(node.body, list) else [node.body]
                stack += [(n, node) for n in below]
                stack += [(n, owner) for n in (*node.args.defaults, *node.args.kw_defaults) if n is not None]
                stack += [(n, owner) for n in getattr(node, "decorator_list", ())]
                found.update((a, node) for a in ast.walk(node.args) if isinstance(a, ast.arg))
            else:
                stack += [(n, owner) for n in children(node)]
        return found

    def owner(self, node: ast.AST) -> DefUse:
        """The def-use of the innermost function around a node."""
        function = self._owners.get(node, self.function)
        return self if function is self.function else self.inner(function)

    def inner(self, function: Function) -> DefUse:
        """The def-use of a function inside of this one."""
        if function not in self._inner:
            self._inner[function] = DefUse(function, self.resolve)
        return self._inner[function]

    # -- names

    def definitions(self, use: ast.AST) -> frozenset[Definition]:
        """The definitions that may reach a read: of a name, an item or an attribute."""
        owner = self.owner(use)
        if isinstance(use, ast.Subscript | ast.Attribute):
            return owner.memory.definitions(use)
        found = owner.names.definitions(use)
        if owner is self or not (not found or any(d.kind is Kind.OUTER for d in found)):
            return found
        return frozenset(d for d in found if d.kind is not Kind.OUTER) | self._outside(use, owner.function)

    def _outside(self, use: ast.AST, inner: Function) -> frozenset[Definition]:
        """The definitions of a name that an inner function takes from the functions around it."""
        at: ast.AST | None = inner
        while at is not None:
            at = self._around(at)
            around = self if at is None or at is self.function else self.inner(at)  # type: ignore[arg-type]
            found = around.names.definitions(use)
            if found or around is self:
                return found or self._anywhere(use)
        return frozenset()

    def _around(self, function: ast.AST) -> ast.AST | None:
        return self._owners.get(function)

    def _anywhere(self, use: ast.AST) -> frozenset[Definition]:
        """Whatever the name may be: no call of the inner function is seen."""
        name = getattr(use, "id", None)
        found = [d for location in self.names.ssa.values for d in self._defined(location) if str(location) == name]
        return frozenset(found or [Definition(self.function, Variable(None, str(name)), Kind.OUTER)])

    def _defined(self, location: Location) -> Iterable[Definition]:
        return (d for d in self.names.ssa.made if d.location == location)

    def uses(self, definition: Definition) -> tuple[ast.AST, ...]:
        """The places where a definition may be read."""
        names = self.owner(definition.node).names if definition.kind is not Kind.UNBOUND else self.names
        reads = [r for value in names.ssa.made.get(definition, ()) for r in names.ssa.reached(value)]
        return names.ssa.nodes(reads)

    def definition(self, node: ast.AST) -> Definition | None:
        """The definition of a name that stands there."""
        defined = self.owner(node).names.defined
        found = [d for kind in Kind if (d := defined.get((node, kind))) is not None]
        return found[0] if found else None

    def variable(self, node: ast.Name) -> Variable:
        """The variable that a name means."""
        definitions = self.definitions(node)
        found = {d.location for d in definitions if isinstance(d.location, Variable)}
        made = self.definition(node)
        if made is not None and isinstance(made.location, Variable):
            return made.location
        return min(found, key=lambda v: v.scope is None, default=Variable(None, node.id))

    def named(self, name: str) -> Variable:
        """The variable of this name in the scope of the function."""
        scopes = self._builder.scopes
        return scopes.variable(scopes.root, name)

    def before(self, statement: ast.stmt, name: str) -> frozenset[Definition]:
        """The definitions of a name that reach a statement; for a loop, those from before it."""
        region = self.graph.loops.get(statement)
        if region is not None:
            return self.entering(statement, name)
        block, at = self.graph.places[statement]
        names = self.names
        return names.ssa.definitions(names.ssa.before(block, names.positions[block][at], self.named(name)))

    def reachable(self, statement: ast.stmt) -> bool:
        """Whether a statement can be reached."""
        return statement not in self._dead

    @cached_property
    def _dead(self) -> frozenset[ast.AST]:
        return frozenset(self.graph.dead)

    # -- variables in the sense of what is read where

    def webs(self, location: Location) -> tuple[Web, ...]:
        """The webs of a location."""
        if location not in self._webs:
            self._webs[location] = webs_of(self._ssa(location), location)
        return self._webs[location]

    def web(self, node: ast.AST) -> Web | None:
        """The web of a name that is read or bound there."""
        names = self.owner(node).names
        made = self.definition(node)
        found = [made.location] if made is not None else [loc for loc, _ in names.ssa.at.get(node, ())]
        webs = [w for location in found for w in self.owner(node).webs(location)]
        return next((w for w in webs if node in w.reads or made in w.definitions), None)

    def same(self, left: ast.AST, right: ast.AST) -> bool:
        """Whether two names mean one variable, and one of its purposes."""
        return (found := self.web(left)) is not None and found == self.web(right)

    def _ssa(self, location: Location) -> Ssa[Variable] | Ssa[Cell]:
        return self.names.ssa

    # -- loops

    def region(self, loop: ast.AST) -> Region:
        """The blocks of a loop."""
        return self.graph.loops[loop]

    def entering(self, loop: ast.AST, name: str) -> frozenset[Definition]:
        """The definitions of a name that reach the head of a loop from before it."""
        return trips.entering(self.names.ssa, self.region(loop), self.named(name))

    def carried(self, loop: ast.AST) -> tuple[trips.Carried, ...]:
        """The names that go from trip to trip."""
        return tuple(trips.carried(self.names.ssa, self.region(loop)))

    def leaving(self, loop: ast.AST) -> dict[Definition, tuple[ast.AST, ...]]:
        """The definitions of a loop that are read after it, and where."""
        return trips.leaving(self.names.ssa, self.region(loop))
