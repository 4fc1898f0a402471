"""A stack of steps that emit events, and what assignments do to their targets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from scanlint.dataflow.control.blocks import Define, Event, FlowGraph, Use
from scanlint.dataflow.control.scopes import NameScopes
from scanlint.dataflow.locations import DefinitionKind
from scanlint.syntax.bindings import Function
from scanlint.syntax.walk import children

Step = tuple[Callable[..., None], object]


class Steps:
    """A stack of steps that emit events into the block that is being built."""

    def __init__(self, function: Function) -> None:
        self.scopes = NameScopes(function)
        self.scope = self.scopes.root
        self.graph = FlowGraph()
        self.here = self.graph.add()
        self.here.live = True
        self._todo: list[Step] = []

    def push(self, *steps: Step) -> None:
        """Steps to come; the last one is the first."""
        self._todo += steps

    def run(self) -> None:
        """Take all steps."""
        todo = self._todo
        while todo:
            step, argument = todo.pop()
            step(argument)

    def emit(self, event: Event) -> None:
        """An event at this place."""
        self.here.events.append(event)

    def changed(self) -> None:
        """Called after what an exception handler might see."""

    def visit(self, node: ast.AST | None) -> None:
        """Evaluate a node."""
        raise NotImplementedError

    def visit_all(self, nodes: list[ast.AST]) -> None:
        """Evaluate nodes one after the other."""
        visit = self.visit
        self._todo += [(visit, n) for n in reversed(nodes)]

    # -- targets

    def define(self, node: ast.AST, name: str, kind: DefinitionKind, source: ast.expr | None) -> None:
        """Bind a name of the scope."""
        self.emit(Define(node, self.scopes.variable(self.scope, name), kind, source))
        self.changed()

    def bind(self, target: ast.expr, kind: DefinitionKind, source: ast.expr | None) -> None:
        """Bind a target to a value, or its elements to the elements of the value."""
        match target:
            case ast.Name(id=name):
                self.define(target, name, kind, source)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                parts = _elements(source, elements)
                steps = [(self._bind, (t, kind, s)) for t, s in zip(elements, parts, strict=True)]
                self.push(*reversed(steps))
            case ast.Starred(value=value):
                self.bind(value, kind, source)
            case ast.Subscript() | ast.Attribute():
                self.visit_all(children(target))

    def _bind(self, step: tuple[ast.expr, DefinitionKind, ast.expr | None]) -> None:
        self.bind(*step)

    def unset(self, target: ast.expr) -> None:
        """Delete a name, an item or an attribute."""
        match target:
            case ast.Name(id=name):
                self.emit(Use(target, self.scopes.variable(self.scope, name)))
                self.define(target, name, DefinitionKind.DELETE, None)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                self.push(*((self.unset, e) for e in reversed(elements)))
            case ast.Subscript() | ast.Attribute():
                self.visit_all(children(target))

    def read_target(self, target: ast.expr) -> None:
        """The expressions that an augmented assignment reads before its value."""
        match target:
            case ast.Name(id=name):
                self.emit(Use(target, self.scopes.variable(self.scope, name)))
            case ast.Subscript() | ast.Attribute():
                self.visit_all(children(target))


def _elements(source: ast.expr | None, targets: list[ast.expr]) -> Sequence[ast.expr | None]:
    """The expression whose value each target of a tuple gets, where they are written one by one."""
    match source:
        case ast.Tuple(elts=elements) | ast.List(elts=elements) if len(elements) == len(targets):
            if not any(isinstance(e, ast.Starred) for e in (*elements, *targets)):
                return elements
    return [None] * len(targets)
