"""Names that only the trips of a `while` give a value start with one that is never read: a carry has to have one."""

from __future__ import annotations

import ast
from collections.abc import Set

from scanlint.finding import NOT_APPLICABLE, Next, Rewrite, Step
from scanlint.loops.first_trip import holds, started
from scanlint.loops.jumps import JUMPS
from scanlint.loops.loop import LoopModel
from scanlint.syntax.bindings import Names, binds, reads
from scanlint.syntax.walk import walk


def with_placeholders(model: LoopModel) -> Step:
    """The loop with a 0 for each such name, if it surely makes a trip, and each trip binds them first.

    It need not make a trip if they are read afterwards only where a flag is set, which nothing but a trip sets.
    """
    unit, node = model.unit, model.node
    codes = {o.code for o in model.obstacles}
    if not isinstance(node, ast.While) or "maybe-undefined" not in codes or codes - JUMPS - {"maybe-undefined"}:
        return NOT_APPLICABLE
    wanted = [n for n in model.carried if n not in model.flow.bound_before(node)]
    block = unit.block(node)
    before = block[: block.index(node)]
    anew = {n for s in node.body if isinstance(s, ast.Assign) for n in binds(s)} - model.flow.live_at_body(node)
    if not wanted or any(set(wanted) & binds(s) for s in before):
        return NOT_APPLICABLE
    surely = not set(wanted) - anew and holds(unit, node.test, before)
    if not surely and not _flagged(model, frozenset(wanted), block, anew):
        return NOT_APPLICABLE
    at = len(before)
    while at and isinstance(before[at - 1], ast.Assign) and binds(before[at - 1]) <= model.starts:
        at -= 1  # what is set for the sake of the loop alone stays right above it
    above = unit.source.ahead(block[at], *(f"{n} = {_zero(model, n)}" for n in wanted))
    return Rewrite((above,), "while_loop", next=(Next(node, model.starts),))


def _flagged(model: LoopModel, names: Names, block: list[ast.stmt], anew: Set[str]) -> bool:
    """Whether what follows a loop reads these names only where a flag is set, and each trip that sets it binds them.

    The flag starts as False; where it is not set, `if not flag: ...` binds them, or nothing else than `if flag: ...`
    reads them.
    """
    body = model.node.body
    match block[block.index(model.node) + 1 :]:
        case [ast.If(test=ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=flag)), body=instead, orelse=[]), *_]:
            unread = _always(instead) >= names and not names & reads(*instead)
        case [ast.If(test=ast.Name(id=flag), orelse=orelse), *rest]:
            unread = not names & reads(*orelse, *rest)
        case _:
            return False
    begin = started(block[: block.index(model.node)], flag) if flag in model.carried else None
    unset = isinstance(begin, ast.Constant) and begin.value is False
    return unread and unset and not names - anew - (_set_with(body, flag) - reads(model.node))


def _set_with(body: list[ast.stmt], flag: str) -> Names:
    """The names that a trip binds wherever it has set a flag: `if flag: name = ...`."""
    found = Names()
    for statement in body:
        match statement:
            case ast.If(test=ast.Name(id=tested), body=inner) if tested == flag:
                found |= _always(inner)
            case _ if flag in binds(statement):
                found = Names()
    return found


def _always(block: list[ast.stmt]) -> Names:
    """The names that the assignments of a block bind."""
    return Names(n for s in block if isinstance(s, ast.Assign) for n in binds(s))


def _zero(model: LoopModel, name: str) -> str:
    """A number of the kind that a name is given, as far as that is evident."""
    values = [s.value for s in walk(model.node) if isinstance(s, ast.Assign) and name in binds(s)]
    dtypes = {model.unit.value(v).dtype for v in values}
    return "False" if dtypes == {"bool"} else "0" if dtypes == {"int"} else "0.0"
