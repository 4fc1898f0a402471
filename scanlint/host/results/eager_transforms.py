"""Derivatives that a loop on the host runs outside of jit: each call traces the function anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.host.piecemeal import own_statements
from scanlint.host.results.each_trip import is_chosen
from scanlint.host.step_loop import long, measures
from scanlint.jaxapi.words import words
from scanlint.loops.loop import LoopModel
from scanlint.policy.worth import deliberate
from scanlint.settings import Settings
from scanlint.syntax.bindings import walk_scope
from scanlint.trace.domain.callables import ClassRef, Partial, Transformed
from scanlint.trace.domain.values import Value
from scanlint.trace.unit import Unit

TRANSFORMS = words(
    "jax.grad jax.value_and_grad jax.jacfwd jax.jacrev jax.jacobian jax.hessian equinox.filter_grad "
    "equinox.filter_value_and_grad flax.nnx.grad flax.nnx.value_and_grad"
)
COMPOUND = ast.If | ast.With | ast.Try


class UnjittedCall(NamedTuple):
    """A call of a transformed function that is not jitted, and the transform."""

    call: ast.Call
    transform: str


def eager_transform(model: LoopModel, settings: Settings) -> UnjittedCall | None:
    """The first such call on the trips of a loop, if there may be many and they measure nothing."""
    unit, node = model.unit, model.node
    plain = [s for s in own_statements(node) if not is_chosen(unit, s, node)]
    calls = [part for s in plain for part in _parts(s) if isinstance(part, ast.Call)]
    found = next((f for call in calls if (f := eager_call(unit, call)) is not None), None)
    if found is None or unit.source.tests or measures(calls) or deliberate(model) or not long(model, settings):
        return None
    return found


def _parts(statement: ast.stmt) -> Iterator[ast.AST]:
    return iter(walk_scope([statement])) if not isinstance(statement, COMPOUND) else iter(())


def eager_call(unit: Unit, call: ast.Call) -> UnjittedCall | None:
    """The transform of a call that runs a transformed function, no jit around it."""
    transform = outermost(unit.value(call.func))
    if transform not in TRANSFORMS or unit.resolve(call.func) == transform:
        return None
    return UnjittedCall(call, transform)


def outermost(function: Value) -> str:
    """The transform around a function, below what binds its arguments; empty where there is none."""
    match function.callee:
        case Transformed(function=Value(callee=ClassRef())):  # a module of flax: nothing is run yet
            return ""
        case Transformed(transform=transform):
            return transform
        case Partial(function=inner):
            return outermost(inner)
    return ""
