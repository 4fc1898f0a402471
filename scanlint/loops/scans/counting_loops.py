"""Calls of `lax.while_loop` that count: each trip adds one to a number of the carry, and the test asks for it alone."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.loops.scans.scan_bodies import scan_body
from scanlint.syntax.bindings import Function, binds, parameters, reads, walk_scope
from scanlint.trace.unit import Unit


class CountingLoop(NamedTuple):
    """Where such a loop begins to count, and what it counts to."""

    start: ast.expr
    bound: ast.expr


def counting_loop(unit: Unit, call: ast.Call) -> CountingLoop | None:
    """The loop, if nothing but the number ends it and its bound is no tracer."""
    given = [*call.args, *(k.value for k in call.keywords)]
    if len(given) != 3 or [k.arg for k in call.keywords] != ["cond_fun", "body_fun", "init_val"][len(call.args) :]:
        return None
    test, body = (scan_body(unit, function) for function in given[:2])
    match given[2], _returned(test.function) if test else None, _returned(body.function) if body else None:
        case ast.Tuple(elts=starts), ast.Compare(left=left, ops=[op], comparators=[right]), ast.Tuple(elts=made):
            pass
        case _:
            return None
    assert test is not None and body is not None
    counter, bound = (left, right) if isinstance(op, ast.Lt) else (right, left)
    place = _place(test.function, counter) if isinstance(op, ast.Lt | ast.Gt) else None
    own = binds(*_statements(test.function)) | frozenset(parameters(test.function.args))
    if place is None or place >= min(len(starts), len(made)) or reads(bound) & own or unit.value(bound).array:
        return None
    match made[place], starts[place]:
        case ast.BinOp(left=before, op=ast.Add(), right=ast.Constant(value=1)), ast.Constant(value=int()) as start:
            if _place(body.function, before) == place and not unit.value(bound).traced:
                return CountingLoop(start, bound)
    return None


def _statements(function: Function) -> list[ast.stmt]:
    return [] if isinstance(function, ast.Lambda) else function.body


def _returned(function: Function) -> ast.expr | None:
    """What a function returns, if that stands in one place."""
    if isinstance(function, ast.Lambda):
        return function.body
    returns = [s.value for s in walk_scope(function.body) if isinstance(s, ast.Return)]
    return returns[0] if len(returns) == 1 and isinstance(function.body[-1], ast.Return) else None


def _place(function: Function, part: ast.expr) -> int | None:
    """Which part of the carry, a tuple, an expression of a function is: `i` of `x, i = carry`, or `carry[1]`."""
    carry = parameters(function.args)[0] if parameters(function.args) else ""
    bound = [s for s in walk_scope(_statements(function)) if isinstance(s, ast.stmt) and binds(s) & reads(part)]
    match part, bound:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int(place))), [] if name == carry:
            return place if place >= 0 else None
        case (
            ast.Name(id=name),
            [ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name(id=whole))],
        ) if whole == carry and all(isinstance(p, ast.Name) for p in parts):
            return [ast.unparse(p) for p in parts].index(name)
    return None
