"""Lists that the inner one of two loops fills: one flat list of what is a grid."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.loops.accumulators.collected_lists import appends
from scanlint.loops.accumulators.list_buffers import initial_list
from scanlint.loops.accumulators.stacking_functions import STACKS
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.trace.unit import Unit


class Flat(NamedTuple):
    """The list, the inner loop, the statement in it that appends, and the calls that make arrays of the list."""

    name: str
    inner: ast.For
    append: ast.Expr
    stacks: tuple[ast.Call, ...]


def flattened(unit: Unit, node: ast.For | ast.While) -> Flat | None:
    """The first list of which nothing but arrays are made, and to which each trip adds as many elements."""
    for name, statement, _ in appends(node):
        inner = unit.parents.get(statement)
        made = initial_list(unit, node, name)
        if made is None or made[1] or not isinstance(statement, ast.Expr) or not _adds(statement):
            continue
        if not isinstance(inner, ast.For) or inner not in node.body or statement not in inner.body or inner.orelse:
            continue
        moving = binds(*node.body) | frozenset(targets(node.target) if isinstance(node, ast.For) else ())
        if reads(inner.iter) & moving or any(isinstance(n, ast.Break | ast.Continue) for n in ast.walk(node)):
            continue
        stacks = _stacks(unit, node, statement)
        if stacks:
            return Flat(name, inner, statement, stacks)
    return None


def _adds(statement: ast.Expr) -> bool:
    return isinstance(statement.value, ast.Call) and ast.unparse(statement.value.func).endswith(".append")


def _stacks(unit: Unit, node: ast.stmt, append: ast.Expr) -> tuple[ast.Call, ...]:
    """All other reads of a list, if they are calls after the loop that stack it along its first axis."""
    assert isinstance(append.value, ast.Call) and isinstance(append.value.func, ast.Attribute)
    filled, flow = append.value.func.value, defuse_of(unit)
    web = flow.web(filled)
    if web is None or len(web.definitions) != 1:
        return ()
    found = []
    for use in web.reads:
        call = unit.parents.get(use)
        if use is filled:
            continue
        if not (isinstance(call, ast.Call) and call.args == [use] and not call.keywords and flow.after(use, node)):
            return ()
        if unit.resolve(call.func) not in STACKS:
            return ()
        found.append(call)
    return tuple(found)
