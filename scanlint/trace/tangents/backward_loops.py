"""Loops that a derivative would have to go back through and cannot, over all functions that are known to be run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from scanlint.trace.calls.transforms import functions_in
from scanlint.trace.domain.callables import Differentiated, World
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.values import Value
from scanlint.trace.tangents.taint import CLEAN, INPUT, Taint, flat
from scanlint.trace.tangents.tangent_calls import call
from scanlint.trace.tangents.tangent_flow import TangentFlow, TooLong
from scanlint.trace.tangents.tangent_statements import block


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
    """What the arguments are: those that are differentiated, and the others; None where that is not known."""
    numbers = derivative.options.get("argnums")
    if derivative.transform == "jax.vjp":
        return [INPUT] * 16
    if numbers is None:
        return [INPUT]
    chosen = _numbers(numbers)
    if chosen is None or any(n < 0 for n in chosen):
        return None
    return [INPUT if place in chosen else CLEAN for place in range(max(chosen, default=0) + 1)]


def _numbers(value: Value) -> list[int] | None:
    values = list(value.items) if value.items is not None else [value]
    found = [v.constant for v in values]
    return [n for n in found if isinstance(n, int)] if all(isinstance(n, int) for n in found) else None


def _primary(result: Taint | None, derivative: Differentiated) -> Taint:
    """The part of the result that is differentiated, without what is only handed out beside it."""
    if result is None:
        return CLEAN
    aux = derivative.options.get("has_aux")
    if aux is None or (aux.known and not aux.constant):
        return result
    return result[0] if isinstance(result, tuple) and result else CLEAN
