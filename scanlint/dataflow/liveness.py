"""Names through a function: what each statement reads and binds, what is live after it, what is surely bound before.

The sets are exact for structured code; where they must err, a name counts as live.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from scanlint.syntax.bindings import (
    NONE,
    Function,
    Names,
    binds,
    binds_in_order,
    free,
    parameters,
    reads,
    targets,
    walk_scope,
)
from scanlint.syntax.order import evaluated
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit


class _Exits(NamedTuple):
    """What is live where `break`, `continue` and an exception lead."""

    on_break: Names = NONE
    on_continue: Names = NONE
    on_raise: Names = NONE


@dataclass
class Flow:
    """Liveness and definite assignment for one function."""

    function: Function
    live_after: dict[ast.stmt, Names] = field(default_factory=dict)
    live_at_body: dict[ast.stmt, Names] = field(default_factory=dict)
    bound_before: dict[ast.stmt, Names] = field(default_factory=dict)
    closures: dict[str, Names] = field(default_factory=dict)
    branches: dict[tuple[ast.If, tuple[ast.stmt, ...] | None], object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.function, ast.Lambda):
            return
        own = binds(*self.function.body) | frozenset(parameters(self.function.args))
        for node in walk_scope(self.function.body):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.closures[node.name] = free(node) & own
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                for name in (n for t in node.targets for n in targets(t)):
                    self.closures[name] = free(node.value) & own
        self._close()
        self._before(self.function.body, NONE, _Exits())
        self._bound(self.function.body, frozenset(parameters(self.function.args)))

    @cached_property
    def order(self) -> list[str]:
        """The names of the function in the order in which they are first bound."""
        body = self.function.body if isinstance(self.function.body, list) else []
        return list(dict.fromkeys([*parameters(self.function.args), *binds_in_order(*body)]))

    def needed(self, block: Sequence[ast.stmt], after: Names) -> Names:
        """The names whose values from before a block may be read in it, or after it where those are live there."""
        probe = copy(self)
        probe.live_after, probe.live_at_body = {}, {}
        return probe._before(block, after, _Exits())

    def _close(self) -> None:
        """A use of a local function reads what the functions that it uses read."""
        changed = True
        while changed:
            changed = False
            for name, names in self.closures.items():
                more = names.union(*(self.closures[n] for n in names if n in self.closures))
                if more != names:
                    self.closures[name], changed = more, True

    def reads(self, *nodes: ast.AST | None) -> Names:
        """Like `reads`, with what the local functions named there read when they are called."""
        found = reads(*nodes)
        return found.union(*(self.closures[n] for n in found if n in self.closures))

    @cached_property
    def _walrus(self) -> bool:
        return any(isinstance(n, ast.NamedExpr) for n in walk(self.function))

    def _evaluated(self, node: ast.AST | None) -> tuple[Names, Names]:
        """What a node without blocks reads from before it, and what it surely binds by `:=`."""
        if node is None or not self._walrus:
            return self.reads(node), NONE
        read, bound = evaluated(node, self.reads)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read |= {node.target.id}
        return read, bound

    # -- liveness, backwards

    def _before(self, block: Sequence[ast.stmt], after: Names, exits: _Exits) -> Names:
        live = after
        for statement in reversed(block):
            self.live_after[statement] = live
            live = self._statement(statement, live, exits)
        return live

    def _statement(self, node: ast.stmt, after: Names, exits: _Exits) -> Names:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                read, bound = self._evaluated(test)
                return read | ((self._before(body, after, exits) | self._before(orelse, after, exits)) - bound)
            case ast.For() | ast.AsyncFor():
                return self._for(node, after, exits)
            case ast.While():
                return self._while(node, after, exits)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                inside = self._before(body, after, exits)
                bound = frozenset(n for i in items if i.optional_vars for n in targets(i.optional_vars))
                return (inside - bound) | self.reads(*items)
            case ast.Try() | ast.TryStar():
                return self._try(node, after, exits)
            case ast.Match(subject=subject, cases=cases):
                arms = [self._before(c.body, after, exits) - binds(c.pattern) for c in cases]
                return after.union(self.reads(subject), *(self.reads(c.guard) for c in cases), *arms)
            case ast.Return(value=value):
                return self._evaluated(value)[0]
            case ast.Raise():
                return self.reads(node) | exits.on_raise
            case ast.Break():
                return exits.on_break
            case ast.Continue():
                return exits.on_continue
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                return (after - {name}) | free(node)
            case _:
                read, bound = self._evaluated(node)
                return (after - (_sure(node, bound) if self._walrus else binds(node))) | read

    def _for(self, node: ast.For | ast.AsyncFor, after: Names, exits: _Exits) -> Names:
        done = self._before(node.orelse, after, exits)
        bound = frozenset(targets(node.target))
        head: Names = done
        while True:
            inside = self._before(node.body, head, _Exits(after, head, exits.on_raise))
            self.live_at_body[node] = inside
            wider = head | (inside - bound) | self.reads(node.target)
            if wider == head:
                return head | self.reads(node.iter)
            head = wider

    def _while(self, node: ast.While, after: Names, exits: _Exits) -> Names:
        head = self.reads(node.test) | self._before(node.orelse, after, exits)
        while True:
            inside = self._before(node.body, head, _Exits(after, head, exits.on_raise))
            self.live_at_body[node] = inside
            if inside <= head:
                return head
            head |= inside

    def _try(self, node: ast.Try | ast.TryStar, after: Names, exits: _Exits) -> Names:
        final = self._before(node.finalbody, after, exits)
        handlers = NONE.union(*(self._before(h.body, final, exits) | self.reads(h.type) for h in node.handlers))
        orelse = self._before(node.orelse, final, exits)
        reach = _Exits(exits.on_break | final, exits.on_continue | final, exits.on_raise | handlers | final)
        return self._before(node.body, orelse, reach) | handlers | final

    # -- definite assignment, forwards (None: the end is not reached)

    def _bound(self, block: Sequence[ast.stmt], before: Names) -> Names | None:
        at: Names | None = before
        for statement in block:
            # What stands below a `return` is never run, and is asked for all the same.
            known = before if at is None else at
            self.bound_before[statement] = known
            after = self._bound_after(statement, known)
            at = None if at is None else after
        return at

    def _bound_after(self, node: ast.stmt, before: Names) -> Names | None:
        match node:
            case ast.If(test=test, body=body, orelse=orelse):
                at = before | self._evaluated(test)[1]
                return _meet(self._bound(body, at), self._bound(orelse, at))
            case ast.For() | ast.AsyncFor():
                self._bound(node.body, before | frozenset(targets(node.target)))
                self._bound(node.orelse, before)
                return before
            case ast.While(test=test, body=body, orelse=orelse):
                self._bound(body, before | self._evaluated(test)[1])
                self._bound(orelse, before)
                return before | self._evaluated(test)[1]
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                return self._bound(body, before | binds(*items))
            case ast.Try() | ast.TryStar():
                ends = [self._bound([*node.body, *node.orelse], before)]
                ends += [self._bound(h.body, before) for h in node.handlers]
                end = _meet(*ends)
                last = self._bound(node.finalbody, before)
                return None if end is None or last is None else end | last
            case ast.Match(cases=cases):
                ends = [self._bound(c.body, before | binds(c.pattern)) for c in cases]
                return _meet(before, *ends)
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                return None
            case ast.Delete(targets=gone):
                return before - frozenset(n for t in gone for n in targets(t))
            case _:
                return before | (_sure(node, self._evaluated(node)[1]) if self._walrus else binds(node))


def _sure(node: ast.stmt, bound: Names) -> Names:
    """What a statement without blocks binds in any case; `bound` are the names that it surely binds by `:=`."""
    walrus = frozenset(n.target.id for n in walk(node) if isinstance(n, ast.NamedExpr))
    if not walrus:
        return binds(node)
    own = getattr(node, "targets", None) or [getattr(node, "target", node)]
    return (binds(node) - walrus) | frozenset(n for t in own for n in targets(t)) | bound


def _meet(*ends: Names | None) -> Names | None:
    reached = [e for e in ends if e is not None]
    return frozenset.intersection(*reached) if reached else None


def flow_around(unit: Unit, node: ast.AST) -> Flow:
    """The flow of the innermost function around a node, computed once."""
    function = next(
        a for a in unit.ancestors(node) if isinstance(a, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
    if function not in unit.flows:
        unit.flows[function] = Flow(function)
    flow = unit.flows[function]
    assert isinstance(flow, Flow)
    return flow
