"""Finds the names that are live after each statement of a function, and those surely bound before it."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import cached_property

from scanlint.dataflow.around import defuse_of
from scanlint.dataflow.control.blocks import Define, Event, FlowGraph, MakeInner, Use
from scanlint.dataflow.control.builder import FlowBuilder
from scanlint.dataflow.joins import live
from scanlint.dataflow.locations import DefinitionKind, Variable
from scanlint.syntax.bindings import NONE, Function, Names, binds, binds_in_order, free, parameters, targets, walk_scope
from scanlint.trace.unit import Unit

Masks = list[list[int]]
"""For each block the names before each of its events, and after the last one, a bit each."""


class Flow:
    """Liveness and definite assignment for one function, on its control flow.

    Where a local function is named, what it takes from around it is read: `closures` gives that by its name.
    """

    def __init__(self, function: Function, graph: FlowGraph, closures: Mapping[str, Names] | None = None) -> None:
        self.function = function
        self.graph = graph
        self.closures = _closures(function) if closures is None else closures
        self._bits: dict[str, int] = {}
        self._sets: dict[int, Names] = {}
        self._steps = [[self._step(event) for event in block.events] for block in graph.blocks]

    @cached_property
    def order(self) -> list[str]:
        """The names of the function in the order in which they are first bound."""
        body = self.function.body if isinstance(self.function.body, list) else []
        return list(dict.fromkeys([*parameters(self.function.args), *binds_in_order(*body)]))

    def live_after(self, statement: ast.stmt) -> Names:
        """The names whose values may be read after a statement."""
        block, at = self.graph.ends[statement]
        return self._names(self._live[block][at])

    def live_at_body(self, loop: ast.For | ast.AsyncFor | ast.While) -> Names:
        """The names whose values may be read where a trip of a loop begins, its target bound."""
        block, at = self.graph.places[loop.body[0]]
        return self._names(self._live[block][at])

    def bound_before(self, statement: ast.stmt) -> Names:
        """The names that surely have a value before a statement; all, if it is never run."""
        block, at = self.graph.places[statement]
        return self._names(self._bound[block][at])

    def needed(self, block: Sequence[ast.stmt], after: Names) -> Names:
        """The names whose values from before a block may be read in it, or after it where those are live there."""
        read = ast.Expr(ast.Tuple([ast.Name(name, ast.Load()) for name in sorted(after)], ast.Load()))
        alone = ast.FunctionDef("block", NO_ARGUMENTS, [*block, read], [])
        flow = Flow(alone, FlowBuilder(alone, lambda node: None).graph, self.closures)
        return flow._names(flow._live[0][0])

    # -- names as bits

    def _mask(self, names: Names) -> int:
        return sum(1 << self._bits.setdefault(name, len(self._bits)) for name in names)

    def _names(self, mask: int) -> Names:
        if mask not in self._sets:
            self._sets[mask] = frozenset(name for name, bit in self._bits.items() if mask >> bit & 1)
        return self._sets[mask]

    def _step(self, event: Event) -> tuple[int, int, int]:
        """The names that an event reads, binds and deletes."""
        match event:
            case Use(_, variable) if self._own(variable):
                return self._mask(frozenset([variable.name]) | self.closures.get(variable.name, NONE)), 0, 0
            case Define(_, variable, kind) if self._own(variable):
                name = self._mask(frozenset([variable.name]))
                return (0, 0, name) if kind is DefinitionKind.DELETE else (0, name, 0)
            case MakeInner(ast.FunctionDef() | ast.AsyncFunctionDef() as inner):
                return self._mask(free(inner)), 0, 0
            case MakeInner(ast.Lambda() as inner):
                names = free(inner)
                return self._mask(names.union(*(self.closures.get(name, NONE) for name in names))), 0, 0
        return 0, 0, 0

    def _own(self, variable: Variable) -> bool:
        """Whether a name is one of the function or of what is around it, and not of a comprehension or class in it."""
        return variable.scope is None or variable.scope is self.function

    # -- the fixpoints

    @cached_property
    def _live(self) -> Masks:
        exposed, kills = [0] * len(self._steps), [0] * len(self._steps)
        for block, steps in enumerate(self._steps):
            for read, bound, gone in steps:
                exposed[block] |= read & ~kills[block]
                kills[block] |= bound | gone
        found = [[mask] for mask in live(self.graph, exposed, kills)]
        for masks, steps in zip(found, self._steps, strict=True):
            for read, bound, gone in reversed(steps):
                masks.append(masks[-1] & ~(bound | gone) | read)
            masks.reverse()
        return found

    @cached_property
    def _bound(self) -> Masks:
        every = (1 << len(self._bits)) - 1
        found = [[every] * (len(steps) + 1) for steps in self._steps]
        changed = True
        while changed:
            changed = False
            for block, masks in zip(self.graph.blocks, found, strict=True):
                mask = every if block.before else 0 if block.id == 0 else every
                for source in block.before:
                    mask &= found[source][-1]
                before, masks[0] = masks[-1], mask
                for at, (_, bound, gone) in enumerate(self._steps[block.id]):
                    masks[at + 1] = (masks[at] | bound) & ~gone
                changed = changed or masks[-1] != before
        return found


NO_ARGUMENTS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _closures(function: Function) -> dict[str, Names]:
    """The names that local functions take from around them, those of the functions that they name included."""
    body = function.body if isinstance(function.body, list) else []
    own, found = binds(*body) | frozenset(parameters(function.args)), dict[str, Names]()
    for node in walk_scope(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = free(node) & own
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            found |= dict.fromkeys((n for t in node.targets for n in targets(t)), free(node.value) & own)
    changed = True
    while changed:
        changed = False
        for name, names in found.items():
            more = names.union(*(found[n] for n in names if n in found))
            if more != names:
                found[name], changed = more, True
    return found


def flow_around(unit: Unit, node: ast.AST) -> Flow:
    """The flow of the innermost function around a node, computed once."""
    function = next(
        a for a in unit.ancestors(node) if isinstance(a, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
    return unit.once((Flow, function), lambda: Flow(function, defuse_of(unit).inner(function).graph))
