"""Loops that a derivative would have to go back through and cannot, over all functions that are known to be run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from scanlint.trace.calls.transforms import constants, functions_in
from scanlint.trace.domain.callables import Differentiated, World
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.tangents.taint import CLEAN, INPUT, Taint, either, flat, union
from scanlint.trace.tangents.tangent_calls import call
from scanlint.trace.tangents.tangent_flow import TangentFlow, TooLong


class Follower(TangentFlow):
    """Follows a derivative through statements and calls."""

    def call(self, node: ast.Call) -> Taint:
        return call(self, node)

    def block(self, statements: Sequence[ast.stmt]) -> bool:
        return block(self, statements)


Chains = Mapping[ast.AST, tuple[Reason, ...]]


def backward_loops(world: World, derivatives: Mapping[ast.AST, Differentiated]) -> Chains:
    """Each such loop with the reason, from the loop out to what differentiates."""
    found: dict[ast.AST, tuple[Reason, ...]] = {}
    followed: set[ast.AST] = set()
    while left := [node for node in derivatives if node not in followed]:  # to follow one may bring up others
        followed.update(left)
        for node in left:
            for loop, chain in _followed(world, node, derivatives[node]).items():
                found.setdefault(loop, chain)
    return found


def _followed(world: World, node: ast.AST, derivative: Differentiated) -> Chains:
    """The loops between the arguments that are differentiated and the result."""
    closures = functions_in(derivative.function)
    args = _arguments(derivative)
    if len(closures) != 1 or args is None:
        return {}
    flow = Follower(world)
    try:
        result = flow.apply(derivative.function, node, args)
    except (TooLong, RecursionError):  # not followed: nothing is known to go back through a loop
        return {}
    code = derivative.by
    where = "" if code.qualname == "<module>" else f" in `{code.name}`"
    link = Reason(f"`{closures[0].code.name}` <- `{derivative.transform}`{where}", code.scope, node)
    reached = flat(_primary(result, derivative))
    return {loop: (*chain, link) for loop, chain in flow.loops.items() if loop in reached}


def _arguments(derivative: Differentiated) -> list[Taint] | None:
    """The marks of the arguments: INPUT for those that are differentiated; None where that is not known."""
    numbers = derivative.options.get("argnums")
    if derivative.transform == "jax.vjp":
        return [INPUT] * 16
    if numbers is None:
        return [INPUT]
    found = constants(numbers)
    chosen = [n for n in found if isinstance(n, int) and n >= 0]
    if len(chosen) < len(found):
        return None
    return [INPUT if place in chosen else CLEAN for place in range(max(chosen, default=0) + 1)]


def _primary(result: Taint | None, derivative: Differentiated) -> Taint:
    """The part of the result that is differentiated, without what is only handed out beside it."""
    if result is None:
        return CLEAN
    aux = derivative.options.get("has_aux")
    if aux is None or (aux.known and not aux.constant):
        return result
    return result[0] if isinstance(result, tuple) and result else CLEAN


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
