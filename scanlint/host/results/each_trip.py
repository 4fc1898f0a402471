"""What each trip of a loop on the host reaches: nothing under a test, but one that all trips pass from some time on."""

from __future__ import annotations

import ast

from scanlint.jaxapi.words import words
from scanlint.loops.jumps import jumps_in
from scanlint.syntax.bindings import binds, reads, targets, walk_scope
from scanlint.trace.unit import Unit

RANKS = words("jax.process_index jax.host_id jax.process_count")


def is_chosen(unit: Unit, part: ast.AST, loop: ast.For | ast.While) -> bool:
    """A part of a loop stands under a test in it, or in a `try`: not each trip runs it."""
    inner = part
    for around in unit.ancestors(part):
        if around is loop:
            return False
        match around:
            case ast.Try():
                return True
            case ast.If(test=test, body=body) if inner is not test and not is_setting(unit, test, loop):
                if inner not in body or not is_warm(loop, around):
                    return True
        inner = around
    return False


def is_setting(unit: Unit, test: ast.expr, loop: ast.For | ast.While) -> bool:
    """A test asks for what no trip binds, by no call but for the number of the process: it is the same on each trip."""
    calls = [part for part in ast.walk(test) if isinstance(part, ast.Call)]
    return all(unit.resolve(c.func) in RANKS for c in calls) and reads(test).isdisjoint(binds(loop))


def warms_up(loop: ast.For | ast.While, statement: ast.If) -> bool:
    """A test goes on with the next trip while a number that only grows is less than one that stays."""
    match statement:
        case ast.If(
            test=ast.Compare(left=grown, ops=[ast.Lt() | ast.LtE()], comparators=[least]),
            body=[*_, ast.Continue()],
            orelse=[],
        ):
            return len(list(jumps_in(*statement.body))) == 1 and _comes_to(loop, grown, least)
    return False


def is_warm(loop: ast.For | ast.While, statement: ast.If) -> bool:
    """A test lets all trips pass once such a number is large enough."""
    match statement.test:
        case ast.Compare(left=grown, ops=[ast.Gt() | ast.GtE()], comparators=[least]):
            return _comes_to(loop, grown, least)
    return False


def _comes_to(loop: ast.For | ast.While, grown: ast.expr, least: ast.expr) -> bool:
    """A number only grows from trip to trip, and what it is compared with stays."""
    if reads(least) & binds(*loop.body):
        return False
    match grown:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() | ast.Attribute() as gathered]):
            return not reads(gathered) & binds(*loop.body)
        case ast.Name(id=name) if isinstance(loop, ast.For) and "range" in ast.unparse(loop.iter):
            return name in targets(loop.target) and name not in binds(*loop.body)
        case ast.Name(id=name):
            steps = [p for p in walk_scope(loop.body) if isinstance(p, ast.AugAssign) and name in targets(p.target)]
            return bool(steps) and all(isinstance(s.op, ast.Add) and isinstance(s.value, ast.Constant) for s in steps)
    return False
