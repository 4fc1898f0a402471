"""Copies: two names for one value become one where neither is anything else in between."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.dataflow.around import defuse_of
from scanlint.rewrite.normalize.meaning.changes import Change, alone, drop, function_of, names_in, pairs_of
from scanlint.syntax.bindings import binds
from scanlint.trace.unit import Unit


def copies(unit: Unit) -> Iterator[Change]:
    """`y = f(x)`, `x = y` as `x = f(x)`; `old = x`, `x = f(old)` as `x = f(x)`."""
    for block in _blocks(unit):
        for at, statement in enumerate(block):
            match pairs_of(statement):
                case [(ast.Name(id=left_name), ast.Name(id=right_name))] if left_name == right_name:
                    yield (drop(unit, statement),)
                case [(ast.Name() as left, ast.Name() as right)]:
                    made = _coalesced(unit, block, at, left, right) or _propagated(unit, block, at, left, right)
                    if made:
                        yield made


def split_copies(unit: Unit) -> Iterator[Change]:
    """`a, b = c, d` as two statements, where the second does not read what the first binds."""
    sheet = unit.source
    for statement in (s for block in _blocks(unit) for s in block):
        pairs = pairs_of(statement)
        names = [(t.id, v.id) for t, v in pairs if isinstance(t, ast.Name) and isinstance(v, ast.Name)]
        if not (len(names) == len(pairs) > 1) or len({t for t, _ in names}) < len(names):
            continue
        if not any(t in {v for _, v in names[at + 1 :]} for at, (t, _) in enumerate(names)):
            yield (sheet.instead(statement, *([f"{t} = {v}" for t, v in names if t != v] or ["pass"])),)


def _blocks(unit: Unit) -> Iterator[list[ast.stmt]]:
    """The blocks of loops and branches."""
    statements: list[ast.For | ast.While | ast.If] = [*unit.every(ast.For), *unit.every(ast.While)]
    for node in (*statements, *unit.every(ast.If)):
        yield from (block for block in (node.body, node.orelse) if block)


def _coalesced(unit: Unit, block: list[ast.stmt], at: int, left: ast.Name, right: ast.Name) -> Change | None:
    """All of what is copied under the name that it is copied to, where that means nothing else in the meantime."""
    function = function_of(unit, left)
    if not (right.id in binds(*block[:at]) and alone(unit, left.id, function) and alone(unit, right.id, function)):
        return None
    web = defuse_of(unit).web(right)
    if web is None:
        return None
    bound = [d.node for d in web.definitions]
    places = {*bound, *web.reads}
    if not all(isinstance(n, ast.Name) for n in places):
        return None
    owners = {n: i for i, s in enumerate(block) for n in ast.walk(s) if n in places}
    if len(owners) < len(places) or any(owners[n] >= at for n in bound):
        return None
    first, last = min(owners.values()), max(owners.values())
    begins = block[first]
    if not isinstance(begins, ast.Assign | ast.AnnAssign) or right.id in names_in(begins.value or begins):
        return None
    targets = begins.targets if isinstance(begins, ast.Assign) else [begins.target]
    if left.id in names_in(*targets) or not any(n in ast.walk(t) for t in targets for n in bound):
        return None
    if left.id in names_in(*block[first + 1 : at]) or left.id in binds(*block[at + 1 : last + 1]):
        return None
    sheet = unit.source
    renamed = [sheet.put(n, left.id) for n in places if n is not right]
    return (*renamed, drop(unit, block[at]))


def _propagated(unit: Unit, block: list[ast.stmt], at: int, left: ast.Name, right: ast.Name) -> Change | None:
    """What reads a copy reads what was copied, where that is not bound anew before."""
    function = function_of(unit, left)
    if not (alone(unit, left.id, function) and alone(unit, right.id, function)):
        return None
    web = defuse_of(unit).web(left)
    if (
        web is None
        or [d.node for d in web.definitions] != [left]
        or not all(isinstance(n, ast.Name) for n in web.reads)
    ):
        return None
    owners = {n: i for i, s in enumerate(block) for n in ast.walk(s) if n in web.reads}
    if len(owners) < len(web.reads) or any(i <= at for i in owners.values()):
        return None
    last = max(owners.values(), default=at)
    simple = isinstance(block[last], ast.Assign | ast.AnnAssign | ast.Expr)
    if right.id in binds(*block[at + 1 : last + (not simple)]):
        return None
    sheet = unit.source
    return (*(sheet.put(n, right.id) for n in web.reads), drop(unit, block[at]))
