"""Def-use of one function: which definitions each read sees, and what is read of each definition.

flow = DefUse.of(function, unit.resolve)
flow.definitions(name)       the definitions that may reach a read of a name
flow.uses(definition)        where it may be read
flow.web(name)               the definitions and reads of one variable, in one of its purposes
flow.within(name, loop)      whether a name is read or bound in a loop
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

from scanlint.dataflow.captures import Closures
from scanlint.dataflow.control.blocks import Region
from scanlint.dataflow.control.builder import FlowBuilder
from scanlint.dataflow.control.nesting import owners
from scanlint.dataflow.locations import Definition, DefinitionKind, Variable
from scanlint.dataflow.reaching import Names
from scanlint.dataflow.ssa import Read, Ssa, Update, Value, operands, own
from scanlint.syntax.bindings import Function

Resolve = Callable[[ast.AST], str | None]


class DefUse:
    """The definitions and reads of one function.

    `resolve` gives the canonical name of an expression that an import or a builtin stands for.
    """

    def __init__(self, function: Function, resolve: Resolve) -> None:
        self.function = function
        self.resolve = resolve
        built = FlowBuilder(function, resolve)
        self.graph, self.scopes = built.graph, built.scopes
        self._inner: dict[ast.AST, DefUse] = {}
        self._webs: dict[Variable, tuple[Web, ...]] = {}

    @cached_property
    def names(self) -> Names:
        """The names of the function in single assignment form."""
        return Names(self.function, self.graph, Closures(self.graph, self.scopes, self.resolve))

    # -- inner functions

    @cached_property
    def _owners(self) -> dict[ast.AST, Function]:
        return owners(self.function)

    def owner(self, node: ast.AST) -> DefUse:
        """The def-use of the innermost function around a node."""
        function = self._owners.get(node, self.function)
        return self.inner(function)

    def inner(self, function: Function) -> DefUse:
        """The def-use of this function, or of one inside of it."""
        if function is self.function:
            return self
        if function not in self._inner:
            self._inner[function] = DefUse(function, self.resolve)
        return self._inner[function]

    # -- definitions and reads

    def definitions(self, use: ast.AST) -> frozenset[Definition]:
        """The definitions that may reach a read of a name."""
        owner = self.owner(use)
        found = owner.names.definitions(use)
        if owner is self or (found and not any(d.kind is DefinitionKind.OUTER for d in found)):
            return found
        return frozenset(d for d in found if d.kind is not DefinitionKind.OUTER) | self._outside(use, owner.function)

    def _outside(self, use: ast.AST, inner: Function) -> frozenset[Definition]:
        """The definitions of a name that an inner function takes from the functions around it."""
        at: Function | None = inner
        while at is not None and at is not self.function:
            at = self._owners.get(at, self.function)
            around = self.inner(at)
            if found := around.names.definitions(use):
                return found
            if found := around.anywhere(getattr(use, "id", "")):
                return found
        return frozenset([Definition(self.function, Variable(None, getattr(use, "id", "")), DefinitionKind.OUTER)])

    def anywhere(self, name: str) -> frozenset[Definition]:
        """All definitions of a name of this function: what an inner function may see that nobody seems to call."""
        variable = self.named(name)
        made = [v for v in self.names.ssa.values.get(variable, ()) if variable.scope is not None]
        return frozenset().union(*map(self.names.ssa.definitions, made))

    def uses(self, definition: Definition) -> tuple[ast.AST, ...]:
        """The places where a definition may be read."""
        ssa = self._ssa(definition.location, definition.node)
        return ssa.nodes(r for value in ssa.made.get(definition, ()) for r in ssa.reached(value))

    def made(self, node: ast.AST) -> tuple[Definition, ...]:
        """The definitions of the name that a node binds."""
        defined = self.owner(node).names.defined
        return tuple(d for kind in DefinitionKind if (d := defined.get((node, kind))) is not None)

    def source(self, definition: Definition) -> ast.expr | None:
        """The expression whose value a definition of a name gives it, if there is one."""
        event = self.owner(definition.node).names.sources.get(definition)
        return event.source if event is not None else None

    def named(self, name: str) -> Variable:
        """The variable of this name in the scope of the function."""
        return self.scopes.variable(self.scopes.root, name)

    def _ssa(self, location: Variable, node: ast.AST | None = None) -> Ssa:
        names = self.names if node is None else self.owner(node).names
        if location not in names.ssa.values and location.scope is not None:
            names = self.owner(location.scope).names if location.scope is not self.function else self.names
        return names.ssa

    # -- variables in the sense of what is read where

    def webs(self, location: Variable) -> tuple[Web, ...]:
        """The webs of a location of this function."""
        if location not in self._webs:
            self._webs[location] = webs_of(self._ssa(location), location)
        return self._webs[location]

    def web(self, node: ast.AST) -> Web | None:
        """The web of a name that is read or bound there."""
        owner = self.owner(node)
        names = owner.names
        read = [location for location, _ in names.ssa.at.get(node, ())]
        made = () if read else owner.made(node)
        found = read or [d.location for d in made]
        webs = [w for location in found for w in owner.webs(location)]
        return next((w for w in webs if node in w.reads or any(d in w.definitions for d in made)), None)

    # -- loops

    def region(self, loop: ast.AST) -> Region:
        """The blocks of a loop."""
        return self.graph.loops[loop]

    def entering(self, loop: ast.AST, name: str) -> frozenset[Definition]:
        """The definitions of a name that reach the head of a loop from before it."""
        owner = self.owner(loop)
        location = owner.named(name)
        ssa, region = owner._ssa(location), owner.region(loop)
        join = ssa.phis[region.head].get(location)
        if join is None:
            return ssa.definitions(ssa.into(region.head, location))
        sides = zip(join.operands, join.sources, strict=True)
        return frozenset().union(*(ssa.definitions(v) for v, source in sides if not region.holds(source)))

    def within(self, name: ast.AST, loop: ast.AST) -> bool:
        """Whether a name is read or bound in a loop, or an inner function is made there that does."""
        owner = self.owner(loop)
        block = self._block(name, owner)
        return block is not None and owner.region(loop).holds(block)

    def after(self, name: ast.AST, loop: ast.AST) -> bool:
        """Whether a name is read or bound after a loop, or an inner function is made there that does."""
        owner = self.owner(loop)
        block = self._block(name, owner)
        return block is not None and block >= owner.region(loop).end

    def _block(self, name: ast.AST, owner: DefUse) -> int | None:
        """The block of a function in which a name is, or the inner function that has it is made."""
        at: ast.AST | None = name
        while at is not None and at not in owner.names.blocks:
            around = self._owners.get(at)
            at = around if around is not owner.function else None
        return None if at is None else owner.names.blocks[at]


class Web(NamedTuple):
    """One variable in the sense of what is read where; a name bound for two purposes has two."""

    location: Variable
    definitions: tuple[Definition, ...]
    reads: tuple[ast.AST, ...]


def webs_of(ssa: Ssa, location: Variable) -> tuple[Web, ...]:
    """The webs of a location, in the order in which the function begins them."""
    live, groups = ssa.live(location), _Groups()
    every: list[Value] = [ssa.start(location), *ssa.values[location]]
    for value in every:
        definition = own(value)
        if id(value) in live or definition is not None:
            groups.find(id(value))
        if id(value) in live or isinstance(value, Update):
            for operand in operands(value):
                made = own(operand)
                if made is None or not made.missing:
                    groups.join(id(value), id(operand))
    seen: dict[Definition, int] = {}
    for value in every:
        definition = own(value)
        if definition is not None:
            groups.join(id(value), seen.setdefault(definition, id(value)))
    _augmented(ssa, location, groups)
    made_by: dict[int, list[Definition]] = {}
    reads: dict[int, list[Read]] = {}
    for value in every:
        definition = own(value)
        if definition is not None and (value is not every[0] or (id(value) in live and not definition.missing)):
            made_by.setdefault(groups.find(id(value)), []).append(definition)
    for read in ssa.reads[location]:
        reads.setdefault(groups.find(id(read.value)), []).append(read)
    order = list(dict.fromkeys([*made_by, *reads]))
    return tuple(Web(location, tuple(dict.fromkeys(made_by.get(g, ()))), ssa.nodes(reads.get(g, ()))) for g in order)


def _augmented(ssa: Ssa, location: Variable, groups: _Groups) -> None:
    """`x += 1` reads and binds one name: both belong to one web."""
    read = {r.node: r.value for r in ssa.reads[location]}
    for value in ssa.values[location]:
        definition = own(value)
        if definition is not None and definition.kind is DefinitionKind.AUGMENT and definition.node in read:
            groups.join(id(value), id(read[definition.node]))


class _Groups:
    """Disjoint sets."""

    def __init__(self) -> None:
        self._parent: dict[int, int] = {}

    def find(self, member: int) -> int:
        """The member that stands for the set of this one."""
        parent = self._parent
        root = parent.setdefault(member, member)
        while parent[root] != root:
            root = parent[root]
        while parent[member] != root:
            parent[member], member = root, parent[member]
        return root

    def join(self, left: int, right: int) -> None:
        """Make one set of two."""
        left, right = self.find(left), self.find(right)
        if left != right:
            self._parent[right] = left
