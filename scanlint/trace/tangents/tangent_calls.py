"""Calls through which a derivative is followed: JAX's control flow, and what else takes functions."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.jaxapi.derivatives import CONSTANT, OWN_RULES
from scanlint.syntax.bindings import argument_of
from scanlint.trace.calls.jax_results import ARRAY_METHODS
from scanlint.trace.domain.callables import Method, Named
from scanlint.trace.domain.values import Value
from scanlint.trace.tangents.taint import CLEAN, Taint, either, flat, parts, union
from scanlint.trace.tangents.tangent_flow import GROWS, TangentFlow

METHODS = ARRAY_METHODS | {"set", "add", "multiply", "divide", "get", "power", "apply", "min", "max", "mul"}
CONTAINERS = frozenset(("items", "values", "get", "pop", "_replace", "replace", "copy", "setdefault"))
DIFFERENTIATED = frozenset(("jax.vjp", "jax.jvp", "jax.linearize"))
SELECTS = frozenset(("jax.numpy.where", "jax.lax.select", "jax.lax.cond"))
Handler = Callable[[TangentFlow, ast.Call], Taint]


def call(flow: TangentFlow, node: ast.Call) -> Taint:
    """The marks of what a call gives."""
    function = flow.value(node.func)
    if isinstance(function.callee, Named) and (handler := HANDLERS.get(function.callee.name)) is not None:
        return handler(flow, node)
    args = [flow.eval(a) for a in node.args]
    if any(isinstance(a, ast.Starred) for a in node.args):
        args = [union(args)] * max(len(args), 8)
    named = {k.arg or "**": flow.eval(k.value) for k in node.keywords}
    match function.callee:
        case Named(name):
            return _library(flow, name, node, args, named)
        case None | Method():
            return _method(flow, node, [*args, *named.values()])
    held = flow.eval(node.func.value if isinstance(node.func, ast.Attribute) else node.func)
    taint = flow.apply(function, node, args, named, held)
    return CLEAN if taint is None else taint


def _library(flow: TangentFlow, name: str, node: ast.Call, args: list[Taint], named: dict[str, Taint]) -> Taint:
    if name in OWN_RULES or name in DIFFERENTIATED:
        return union([*args, *named.values()])
    if name in SELECTS and len(args) == 3:
        return union(args[1:])
    if name.startswith(("jax.tree.map", "jax.tree_util.tree_map")) and node.args:
        mapped = flow.apply(flow.value(node.args[0]), node, [flat(a) for a in args[1:]], {}, args[0])
        return CLEAN if mapped is None else flat(mapped)
    if name.startswith("builtins.") and name.endswith((".tuple", ".list")) and len(args) == 1:
        return args[0]
    return flow.library(name, [*args, *named.values()])


def _method(flow: TangentFlow, node: ast.Call, given: list[Taint]) -> Taint:
    """A method of an array or container; of what is not known nothing is said."""
    if not isinstance(node.func, ast.Attribute):
        return CLEAN
    name, receiver = node.func.attr, flat(flow.eval(node.func.value))
    if name in GROWS:
        flow.grow(node.func.value, union(given))
        return CLEAN
    if name in CONSTANT or name not in METHODS | CONTAINERS:
        return CLEAN
    return receiver | union(given)


# -- control flow


def _trip(flow: TangentFlow, node: ast.Call, function: ast.expr | None, args: list[Taint]) -> Taint | None:
    if function is None:
        return None
    held = flow.eval(function.value if isinstance(function, ast.Attribute) else function)
    return flow.apply(flow.value(function), node, args, {}, held)


def _scan(flow: TangentFlow, node: ast.Call) -> Taint:
    function = argument_of(node, 0, "f")
    rows = flow.eval(argument_of(node, 2, "xs"))
    outputs: list[Taint] = []

    def trip(carry: Taint) -> Taint | None:
        made = _trip(flow, node, function, [carry, rows])
        if made is None:
            return None
        after, output = parts(made, 2)
        outputs[:] = [output]
        return after

    carry = flow.turned(flow.eval(argument_of(node, 1, "init")), trip)
    return carry, outputs[0] if outputs else flat(rows)


def _while_loop(flow: TangentFlow, node: ast.Call) -> Taint:
    body = argument_of(node, 1, "body_fun")
    start = flow.eval(argument_of(node, 2, "init_val"))
    carry = flow.turned(start, lambda carry: _trip(flow, node, body, [carry]))
    return flow.stopped(node, carry, "the loop carries what is differentiated")


def _fori_loop(flow: TangentFlow, node: ast.Call) -> Taint:
    body = argument_of(node, 2, "body_fun")
    start = flow.eval(argument_of(node, 3, "init_val"))
    carry = flow.turned(start, lambda carry: _trip(flow, node, body, [CLEAN, carry]))
    bounds = [argument_of(node, 0, "lower"), argument_of(node, 1, "upper")]
    traced = next((b for b in bounds if b is not None and _is_traced(flow.value(b))), None)
    if traced is None:
        return carry
    says = f"the loop carries what is differentiated, `{ast.unparse(traced)}` times"
    return flow.stopped(node, carry, says)


def _is_traced(bound: Value) -> bool:
    return bound.traced


def _cond(flow: TangentFlow, node: ast.Call) -> Taint:
    operands = [flow.eval(a) for a in node.args[3:]] or [
        flow.eval(k.value) for k in node.keywords if k.arg == "operand"
    ]
    branches = [argument_of(node, 1, "true_fun"), argument_of(node, 2, "false_fun")]
    return _branches(flow, node, branches, operands)


def _switch(flow: TangentFlow, node: ast.Call) -> Taint:
    listed = argument_of(node, 1, "branches")
    operands = [flow.eval(a) for a in node.args[2:]]
    if isinstance(listed, ast.List | ast.Tuple):
        return _branches(flow, node, listed.elts, operands)
    held = flow.eval(listed)
    choices = flow.value(listed).items or () if listed is not None else ()
    found = [flow.apply(choice, node, operands, {}, held) for choice in choices]
    return union(t for t in found if t is not None)


def _branches(
    flow: TangentFlow, node: ast.Call, branches: list[ast.expr | None] | list[ast.expr], operands: list[Taint]
) -> Taint:
    found = [_trip(flow, node, branch, operands) for branch in branches]
    joined: Taint = CLEAN
    for taint in found:
        joined = joined if taint is None else either(joined, taint)
    return joined


def _map(flow: TangentFlow, node: ast.Call) -> Taint:
    rows = flow.eval(argument_of(node, 1, "xs"))
    made = _trip(flow, node, argument_of(node, 0, "f"), [rows])
    return flat(rows) if made is None else made


def _partial(flow: TangentFlow, node: ast.Call) -> Taint:
    return union([*map(flow.eval, node.args), *(flow.eval(k.value) for k in node.keywords)])


HANDLERS: dict[str, Handler] = {
    **{f"{root}.scan": _scan for root in ("jax.lax", "haiku")},
    **{f"{root}.while_loop": _while_loop for root in ("jax.lax", "haiku")},
    **{f"{root}.fori_loop": _fori_loop for root in ("jax.lax", "haiku")},
    **{f"{root}.cond": _cond for root in ("jax.lax", "haiku")},
    **{f"{root}.switch": _switch for root in ("jax.lax", "haiku")},
    **{f"{root}.map": _map for root in ("jax.lax", "haiku")},
    "functools.partial": _partial,
}
