"""Statements of a function through which a derivative is followed."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from scanlint.trace.tangents.taint import CLEAN, either, flat, union
from scanlint.trace.tangents.tangent_flow import TangentFlow

Env = dict[str, object]


def block(flow: TangentFlow, statements: Sequence[ast.stmt]) -> bool:
    """Run statements; whether their end is reached."""
    return all(_statement(flow, statement) for statement in statements)


def _statement(flow: TangentFlow, node: ast.stmt) -> bool:
    match node:
        case ast.Assign(targets=targets, value=value):
            taint = flow.eval(value)
            for target in targets:
                flow.bind(target, taint)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            flow.bind(target, flow.eval(value))
        case ast.AugAssign(target=target, op=op, value=value):
            before = flow.here.lookup(target.id) if isinstance(target, ast.Name) else CLEAN
            flow.bind(target, CLEAN if isinstance(op, ast.FloorDiv) else union([before, flow.eval(value)]))
        case ast.Return(value=value):
            flow.here.returned.append(flow.eval(value))
            return False
        case ast.Raise() | ast.Continue() | ast.Break():
            return False
        case ast.Expr(value=value):
            flow.eval(value)
        case ast.If(test=test, body=body, orelse=other):
            return _branch(flow, test, body, other)
        case ast.For(target=target, iter=iterable, body=body, orelse=other):
            rows = flat(flow.eval(iterable))
            _repeat(flow, [*body], lambda: flow.bind(target, rows))
            return block(flow, other)
        case ast.While(body=body, orelse=other):
            _repeat(flow, body, lambda: None)
            return block(flow, other)
        case ast.With(body=body):
            return block(flow, body)
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
            ended = block(flow, [*body, *other])
            arms = [block(flow, handler.body) for handler in handlers]
            return block(flow, last) and (ended or any(arms))
        case ast.Match(subject=subject, cases=cases):
            flow.eval(subject)
            _arms(flow, [case.body for case in cases])
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            flow.here.env[name] = CLEAN
    return True


def _branch(flow: TangentFlow, test: ast.expr, body: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> bool:
    known = flow.value(test)
    flow.eval(test)
    if known.certain:
        return block(flow, body if known.constant else other)
    return _arms(flow, [body, other])


def _arms(flow: TangentFlow, arms: Sequence[Sequence[ast.stmt]]) -> bool:
    """Run each of some blocks from the same start, and join what they leave."""
    start, ends = dict(flow.here.env), []
    for arm in arms:
        flow.here.env = dict(start)
        if block(flow, arm):
            ends.append(flow.here.env)
    flow.here.env = start if not ends else ends[0]
    for end in ends[1:]:
        names = {*flow.here.env, *end}
        flow.here.env = {n: either(flow.here.env.get(n, CLEAN), end.get(n, CLEAN)) for n in names}
    return bool(ends)


def _repeat(flow: TangentFlow, body: Sequence[ast.stmt], begin: object) -> None:
    """Run the body of a loop of Python as often as it may tell something new."""
    assert callable(begin)
    for _ in range(2):
        before = dict(flow.here.env)
        begin()
        block(flow, body)
        after = flow.here.env
        flow.here.env = {n: either(before.get(n, CLEAN), after.get(n, CLEAN)) for n in {*before, *after}}
        if flow.here.env == before:
            return
