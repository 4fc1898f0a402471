"""JAX's control flow and other calls that run a function at once: `scan`, `cond`, `vjp`, callbacks."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.jaxapi.words import words
from scanlint.trace.calls.arguments import argument
from scanlint.trace.calls.transforms import batched, below, differentiated, functions_in, rows, run, settle
from scanlint.trace.domain.callables import Differentiated, Named
from scanlint.trace.domain.evidence import Reason
from scanlint.trace.domain.modes import HOST, Mode
from scanlint.trace.domain.values import (
    UNKNOWN,
    Kind,
    Unset,
    Value,
    but,
    concrete,
    constant,
    gathered,
    join_all,
    staged,
    within,
)
from scanlint.trace.evaluator import Evaluator

HOST_RUNNERS = words(
    "jax.pure_callback jax.experimental.io_callback jax.experimental.pure_callback jax.debug.callback "
    "jax.experimental.host_callback.call jax.experimental.host_callback.id_tap"
)

Runner = Callable[["Evaluator", ast.Call, list[Value], dict[str, Value]], Value]


def _mode(self: Evaluator, name: str, function: Value, node: ast.AST) -> Mode:
    return below(self, name, functions_in(function), node, traced=True)


def _carry(init: Value) -> Value:
    """The value that a loop carries: staged, with a mark on what may be no tracer outside."""
    if init.container is not None:
        return within(init, _carry, Kind.UNKNOWN)
    value = staged(init)
    return but(value, origin="carried") if value.traced and not init.traced else value


def _handed_back(init: Value, result: Value, value: Value) -> Value:
    """`value` as the loop gives it, from what it was given and what the body returns.

    What is no tracer and left alone by the body comes back as it was; jax 0.4 makes an array of a number even then.
    """
    if init.container is None:
        alone = result.origin == "carried" and not init.traced
        return but(init, kind=Kind.UNKNOWN, constant=Unset.UNSET) if alone else but(value, origin=None)
    if init.items and result.items and value.items and len(init.items) == len(result.items) == len(value.items):
        parts = zip(init.items, result.items, value.items, strict=True)
        return but(value, items=tuple(_handed_back(*part) for part in parts))
    common = init.fields.keys() & result.fields.keys() & value.fields.keys()
    fields = {k: _handed_back(init.fields[k], result.fields[k], value.fields[k]) for k in common}
    return but(value, fields={**value.fields, **fields}) if fields else value


def _scan(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    body = argument(args, keywords, 0, "f")
    given = argument(args, keywords, 1, "init")
    init = _carry(given)
    xs = args[2] if len(args) > 2 else keywords.get("xs", constant(None))
    result = run(self, node, body, [init, rows(xs)], {}, _mode(self, "jax.lax.scan", body, node))
    carry, ys = (result.items[0], result.items[1]) if result.items and len(result.items) == 2 else (UNKNOWN, UNKNOWN)
    made = init if carry.kind is Kind.UNKNOWN and carry.container is None else staged(carry)
    return settle(self, gathered("tuple", (_handed_back(given, carry, made), batched(staged(ys, leaf=False)))))


def _fori_loop(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    body = argument(args, keywords, 2, "body_fun")
    given = argument(args, keywords, 3, "init_val")
    init = _carry(given)
    why = Reason("the index of a `fori_loop` is traced", self.frame.code.scope, node)
    index = Value(Kind.TRACED, True, dtype="int", ndim=0, why=why)
    result = run(self, node, body, [index, init], {}, _mode(self, "jax.lax.fori_loop", body, node))
    return settle(self, _handed_back(given, result, init))


def _while_loop(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    given = argument(args, keywords, 2, "init_val")
    init = _carry(given)
    result = UNKNOWN
    for place, name in ((0, "cond_fun"), (1, "body_fun")):
        body = argument(args, keywords, place, name)
        result = run(self, node, body, [init], {}, _mode(self, "jax.lax.while_loop", body, node))
    return settle(self, _handed_back(given, result, init))


def _cond(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    if len(args) == 5 and functions_in(args[2]) and functions_in(args[4]):
        pairs = [(args[2], [args[1]]), (args[4], [args[3]])]
    else:
        operands = args[3:] or ([keywords["operand"]] if "operand" in keywords else [])
        branches = [argument(args, keywords, 1, "true_fun"), argument(args, keywords, 2, "false_fun")]
        pairs = [(branch, operands) for branch in branches]
    return _branches(self, node, "jax.lax.cond", pairs)


def _switch(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    branches = argument(args, keywords, 1, "branches")
    choices = branches.items if branches.items is not None else ([branches.element] if branches.element else [])
    return _branches(self, node, "jax.lax.switch", [(branch, args[2:]) for branch in choices])


def _branches(self: Evaluator, node: ast.Call, name: str, pairs: list[tuple[Value, list[Value]]]) -> Value:
    results = [
        run(self, node, branch, [staged(o) for o in operands], {}, _mode(self, name, branch, node))
        for branch, operands in pairs
    ]
    return settle(self, join_all(tuple(staged(r, leaf=False) for r in results))) if results else UNKNOWN


def _map(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    body, xs = argument(args, keywords, 0, "f"), argument(args, keywords, 1, "xs")
    result = run(self, node, body, [rows(xs)], {}, _mode(self, "jax.lax.map", body, node))
    return settle(self, batched(staged(result, leaf=False)))


def _associative_scan(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    body, xs = argument(args, keywords, 0, "fn"), staged(argument(args, keywords, 1, "elems"))
    elements = xs if self.traced else concrete(xs)
    mode = below(self, "jax.lax.associative_scan", functions_in(body), node, traced=False)
    run(self, node, body, [elements, elements], {}, mode)
    return settle(self, xs)


def _differentiate(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    """`jax.vjp(f, *primals)`, `jax.jvp(f, primals, tangents)`, `jax.linearize(f, *primals)`."""
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            name = f"jax.{name}"
    function = argument(args, keywords, 0, "fun")
    primals = list(args[1].items or ()) if name == "jax.jvp" and len(args) > 1 else args[1:]
    primals = [differentiated(p) for p in primals]
    result = run(self, node, function, primals, {}, below(self, name, functions_in(function), node, traced=False))
    if name == "jax.vjp":
        options = {k: v for k, v in keywords.items() if k == "has_aux"}
        self.world.differentiate(node, Differentiated(self.frame.code, name, function, options))
    outcome = settle(self, result)
    if name == "jax.jvp":
        return gathered("tuple", (outcome, outcome))
    return gathered("tuple", (outcome, Value(Kind.UNKNOWN, callee=Named(f"{name}.derivative"))))


def _pull_back(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    """The second of `jax.vjp(f, *primals)`: one cotangent tree for each primal."""
    return (
        gathered("tuple", None, Value(Kind.TRACED, why=Reason("", self.frame.code.scope, node)))
        if self.traced
        else UNKNOWN
    )


def _push_forward(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    return Value(Kind.TRACED, why=Reason("", self.frame.code.scope, node)) if self.traced else UNKNOWN


def _host(self: Evaluator, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    """The function runs on the host, outside the trace."""
    for closure in functions_in(args[0]) if args else []:
        self.world.invoke(closure, {}, HOST)
    return UNKNOWN if _spelled(node) in ("callback", "id_tap") else self.made(node, array=False, operands=args[1:])


def _spelled(node: ast.Call) -> str:
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


RUNNERS: dict[str, Runner] = {
    **{f"{root}.scan": _scan for root in ("jax.lax", "haiku", "equinox.internal", "numpyro.contrib.control_flow")},
    **{f"{root}.fori_loop": _fori_loop for root in ("jax.lax", "haiku")},
    **{f"{root}.while_loop": _while_loop for root in ("jax.lax", "haiku", "equinox.internal")},
    **{f"{root}.cond": _cond for root in ("jax.lax", "haiku", "flax.nnx", "numpyro.contrib.control_flow")},
    **{f"{root}.switch": _switch for root in ("jax.lax", "haiku", "flax.nnx")},
    **{f"{root}.map": _map for root in ("jax.lax", "haiku")},
    "jax.lax.associative_scan": _associative_scan,
    **dict.fromkeys(("jax.vjp", "jax.jvp", "jax.linearize"), _differentiate),
    **dict.fromkeys(HOST_RUNNERS, _host),
    "jax.vjp.derivative": _pull_back,
    "jax.linearize.derivative": _push_forward,
}
