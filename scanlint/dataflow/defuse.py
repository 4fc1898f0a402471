"""Def-use of one function: which definitions each read sees, and what is read of each definition.

flow = DefUse.of(function, unit.resolve)
flow.definitions(name)       the definitions that may reach a read of a name, an item or an attribute
flow.uses(definition)        where it may be read
flow.same(one, other)        whether two names are one variable, in one of its purposes
flow.carried(loop)           what goes from trip to trip
flow.leaving(loop)           what a loop defines and is read after it
flow.accesses(made)          all that is done with an object, by whatever name
flow.escape(made)            where it first gets out of the function
"""

from __future__ import annotations

import ast
from collections.abc import Callable, MutableMapping
from functools import cached_property
from typing import NamedTuple

from scanlint.dataflow import carried as trips
from scanlint.dataflow.analyses import Analyses
from scanlint.dataflow.control.blocks import Region
from scanlint.dataflow.control.nesting import owners
from scanlint.dataflow.heap.accesses import Access
from scanlint.dataflow.heap.effects import among, changed, given
from scanlint.dataflow.heap.escape import Escape
from scanlint.dataflow.heap.outcomes import Root, arguments
from scanlint.dataflow.library import Outside
from scanlint.dataflow.locations import Cell, Definition, DefinitionKind, Location, Object, Variable
from scanlint.dataflow.ssa import Ssa, Value
from scanlint.dataflow.webs import Web, webs_of
from scanlint.syntax.bindings import Function

Resolve = Callable[[ast.AST], str | None]


class Done(NamedTuple):
    """What a call does: the objects that it may change in place, the names that it may bind, the world outside.

    `unknown`: it may do whatever it likes with what it can get at.
    """

    changes: frozenset[Object]
    binds: frozenset[Variable]
    worlds: frozenset[Outside]
    unknown: bool

    @property
    def pure(self) -> bool:
        """Whether it does nothing but return a value."""
        return not (self.changes or self.binds or self.worlds or self.unknown)


class DefUse:
    """The definitions and reads of one function.

    `resolve` gives the canonical name of an expression that an import or a builtin stands for.
    """

    def __init__(self, function: Function, resolve: Resolve = lambda node: None) -> None:
        self.function = function
        self.facts = Analyses(function, resolve)
        self._inner: dict[ast.AST, DefUse] = {}
        self._webs: dict[Location, tuple[Web, ...]] = {}

    @classmethod
    def of(cls, function: Function, resolve: Resolve, cache: MutableMapping[ast.AST, DefUse] | None = None) -> DefUse:
        """The def-use of a function, from a cache that lives as long as its tree."""
        if cache is None:
            return cls(function, resolve)
        if function not in cache:
            cache[function] = cls(function, resolve)
        return cache[function]

    # -- inner functions

    @cached_property
    def _owners(self) -> dict[ast.AST, Function]:
        return owners(self.function)

    def owner(self, node: ast.AST) -> DefUse:
        """The def-use of the innermost function around a node."""
        function = self._owners.get(node, self.function)
        return self if function is self.function else self.inner(function)

    def inner(self, function: Function) -> DefUse:
        """The def-use of a function inside of this one."""
        if function not in self._inner:
            self._inner[function] = DefUse(function, self.facts.resolve)
        return self._inner[function]

    # -- definitions and reads

    def definitions(self, use: ast.AST) -> frozenset[Definition]:
        """The definitions that may reach a read: of a name, an item or an attribute."""
        owner = self.owner(use)
        if isinstance(use, ast.Subscript | ast.Attribute):
            return owner.facts.memory.definitions(use)
        found = owner.facts.names.definitions(use)
        if owner is self or (found and not any(d.kind is DefinitionKind.OUTER for d in found)):
            return found
        return frozenset(d for d in found if d.kind is not DefinitionKind.OUTER) | self._outside(use, owner.function)

    def _outside(self, use: ast.AST, inner: Function) -> frozenset[Definition]:
        """The definitions of a name that an inner function takes from the functions around it."""
        at: Function | None = inner
        while at is not None and at is not self.function:
            at = self._owners.get(at, self.function)
            around = self if at is self.function else self.inner(at)
            if found := around.facts.names.definitions(use):
                return found
            if found := around.anywhere(getattr(use, "id", "")):
                return found
        return frozenset([Definition(self.function, Variable(None, getattr(use, "id", "")), DefinitionKind.OUTER)])

    def anywhere(self, name: str) -> frozenset[Definition]:
        """All definitions of a name of this function: what an inner function may see that nobody seems to call."""
        variable = self.named(name)
        made = [v for v in self.facts.names.ssa.values.get(variable, ()) if variable.scope is not None]
        return frozenset().union(*map(self.facts.names.ssa.definitions, made))

    def uses(self, definition: Definition) -> tuple[ast.AST, ...]:
        """The places where a definition may be read: names, items and attributes, and what reads all of an object."""
        ssa = self._ssa(definition.location, definition.node)
        return ssa.nodes(r for value in ssa.made.get(definition, ()) for r in ssa.reached(value))

    def made(self, node: ast.AST) -> tuple[Definition, ...]:
        """The definitions that stand at a node: of the name that it binds, or of the cells that it sets."""
        facts = self.owner(node).facts
        named = [d for kind in DefinitionKind if (d := facts.names.defined.get((node, kind))) is not None]
        if named:
            return tuple(named)
        return tuple(dict.fromkeys(d for kind in DefinitionKind for d in facts.memory.defined.get((node, kind), ())))

    def source(self, definition: Definition) -> ast.expr | None:
        """The expression whose value a definition of a name gives it, if there is one."""
        event = self.owner(definition.node).facts.names.sources.get(definition)
        return event.source if event is not None and isinstance(event.source, ast.expr) else None

    def named(self, name: str) -> Variable:
        """The variable of this name in the scope of the function."""
        scopes = self.facts.builder.scopes
        return scopes.variable(scopes.root, name)

    def before(self, statement: ast.stmt, name: str) -> frozenset[Definition]:
        """The definitions of a name that reach a statement; for a loop, those from before it."""
        owner = self.owner(statement)
        if owner is not self:
            return owner.before(statement, name)
        if statement in self.facts.graph.loops:
            return self.entering(statement, self.named(name))
        block, at = self.facts.graph.places[statement]
        names = self.facts.names
        return names.ssa.definitions(names.ssa.before(block, names.positions[block][at], self.named(name)))

    def reachable(self, statement: ast.stmt) -> bool:
        """Whether a statement can be reached."""
        return statement not in self._dead

    @cached_property
    def _dead(self) -> frozenset[ast.AST]:
        return frozenset(self.facts.graph.dead)

    def _ssa(self, location: Location, node: ast.AST | None = None) -> Ssa:
        facts = self.facts if node is None else self.owner(node).facts
        if isinstance(location, Cell):
            return facts.memory.ssa
        if location not in facts.names.ssa.values and location.scope is not None:
            facts = self.owner(location.scope).facts if location.scope is not self.function else self.facts
        return facts.names.ssa

    # -- variables in the sense of what is read where

    def webs(self, location: Location) -> tuple[Web, ...]:
        """The webs of a location of this function."""
        if location not in self._webs:
            self._webs[location] = webs_of(self._ssa(location), location)
        return self._webs[location]

    def web(self, node: ast.AST) -> Web | None:
        """The web of a name that is read or bound there."""
        owner = self.owner(node)
        names = owner.facts.names
        read = [location for location, _ in names.ssa.at.get(node, ())]
        made = () if read else owner.made(node)
        found = read or [d.location for d in made]
        webs = [w for location in found for w in owner.webs(location)]
        return next((w for w in webs if node in w.reads or any(d in w.definitions for d in made)), None)

    def same(self, left: ast.AST, right: ast.AST) -> bool:
        """Whether two names mean one variable, and one of its purposes."""
        return (found := self.web(left)) is not None and found == self.web(right)

    # -- loops

    def region(self, loop: ast.AST) -> Region:
        """The blocks of a loop."""
        return self.facts.graph.loops[loop]

    def entering(self, loop: ast.AST, location: Location) -> frozenset[Definition]:
        """The definitions of a location that reach the head of a loop from before it."""
        return trips.entering(self._ssa(location), self.region(loop), location)

    def carried(self, loop: ast.AST) -> tuple[trips.Carried, ...]:
        """The names that go from trip to trip."""
        return tuple(trips.carried(self.facts.names.ssa, self.region(loop)))

    def carried_cells(self, loop: ast.AST) -> tuple[trips.Carried, ...]:
        """The items and attributes that go from trip to trip."""
        return tuple(trips.carried(self.facts.memory.ssa, self.region(loop)))

    def leaving(self, loop: ast.AST) -> dict[Definition, tuple[ast.AST, ...]]:
        """The definitions of names in a loop that are read after it, and where."""
        return trips.leaving(self.facts.names.ssa, self.region(loop))

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
        while at is not None and at not in owner.facts.names.blocks:
            around = self._owners.get(at)
            at = around if around is not owner.function else None
        return None if at is None else owner.facts.names.blocks[at]

    # -- objects

    def objects(self, node: ast.expr) -> frozenset[Object]:
        """The objects that an expression may be."""
        return self.owner(node).facts.objects.of(node)

    def accesses(self, made: ast.expr) -> tuple[Access, ...]:
        """All that the function does with the objects that an expression may be, in the order of evaluation."""
        facts = self.owner(made).facts
        found = [a for o in facts.objects.of(made) for a in facts.used.of[o]]
        return tuple(dict.fromkeys(found))

    def inside(self, access: Access, loop: ast.AST) -> bool:
        """Whether an access is in a loop."""
        return self.region(loop).holds(access.block)

    def escape(self, made: ast.expr) -> Escape | None:
        """Where the object that an expression makes first gets out of the function."""
        facts = self.owner(made).facts
        found = [e for o in facts.objects.of(made) if (e := facts.escapes.first.get(o)) is not None]
        return found[0] if found else None

    def may_alias(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether two expressions may be one object that can be changed."""
        one, other = self.objects(left), self.objects(right)
        cells = self.owner(left).facts.memory.cells
        return bool(one & other) or (any(map(cells.exposed, one)) and any(map(cells.exposed, other)))

    def must_alias(self, left: ast.Name, right: ast.Name) -> bool:
        """Whether two names are surely one value: one was bound to the other, and neither since."""
        one, other = self._copied(left), self._copied(right)
        return one is not None and one is other

    def _copied(self, node: ast.Name) -> Value | None:
        """The value that a name has, through the names that it was copied from."""
        names = self.owner(node).facts.names
        at: ast.AST = node
        while len(found := names.ssa.at.get(at, [])) == 1:
            value = found[0][1]
            event = names.sources.get(value) if isinstance(value, Definition) else None
            if event is None or event.kind is DefinitionKind.AUGMENT or not isinstance(event.source, ast.Name):
                return value
            at = event.source
        return None

    def call(self, call: ast.Call) -> Done:
        """What a call does."""
        facts = self.owner(call).facts
        closures, objects = facts.closures, facts.objects
        effect = objects.effect(call)
        found = set[Object]() if closures.local(call) else set(changed(objects, call))
        binds, worlds = set[Variable](), set[Outside]()
        unknown = effect is None and not closures.local(call)
        if effect is not None and effect.world is not Outside.NOTHING:
            worlds.add(effect.world)
        for function in closures.reached(closures.runs(call)):
            summary = objects.summary(function)
            unknown, worlds = unknown or summary.unknown, worlds | summary.worlds
            for root, argument in arguments(function, call):
                found |= given(objects, root, argument, summary.mutates)
            for capture in closures.scopes.captures[function]:
                if capture.stores:
                    binds.add(capture.variable)
                held = facts.memory.held(capture.variable)
                found |= among(objects, Root(capture.variable.name, True), held, summary.mutates)
        return Done(frozenset(found), frozenset(binds), frozenset(worlds), unknown)
