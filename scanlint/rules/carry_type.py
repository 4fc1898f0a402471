"""carry-type: a staged loop whose carry becomes something else in its first trip, or a `cond` whose arms differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.carry_structures import CONDITIONS, LOOPS, Mismatch, mismatch_at
from scanlint.branches.expected_failures import expected
from scanlint.finding import Primitive, Report
from scanlint.rules.base import Context, Rule

PRIMITIVES: dict[str, Primitive] = {
    "jax.lax.scan": "scan",
    "jax.lax.fori_loop": "fori_loop",
    "jax.lax.while_loop": "while_loop",
    "jax.lax.cond": "cond",
    "jax.lax.switch": "switch",
}


class CarryType(Rule[ast.Call]):
    """`lax.fori_loop(0, n, lambda i, s: s + x, 0.0)` of an array `x`: a carry must keep structure, shape and dtype."""

    code = "SCN109"
    name = "carry-type"
    level = "error"
    calls = frozenset((*LOOPS, *CONDITIONS))

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        name = context.unit.resolve(node.func) or ""
        found = mismatch_at(context.unit, node, name)
        if found is None or expected(context.unit, node):
            return
        yield context.report(
            node,
            f"`{ast.unparse(node.func)}` fails here: {_said(found)}",
            end=node.func,
            label={"pair": "the body is no pair", "carry": "the carry changes", "arms": "the arms differ"}[found.kind],
            help=_help(found),
            primitive=PRIMITIVES[name],
        )


def _said(found: Mismatch) -> str:
    match found.kind:
        case "pair":
            return f"its body returns {found.after}, where it must return {found.before}"
        case "carry":
            return f"the carry starts as {found.before} and is {found.after} after one trip"
    return f"one arm gives a value that is {found.before}, another one {found.after}"


def _help(found: Mismatch) -> str:
    match found.kind:
        case "pair":
            return "`return carry, None` where nothing is collected"
        case "carry":
            return f"start with {found.after}, of the dtype that the body gives (`jnp.zeros_like(...)`)"
    return "have all arms return the same structure, shapes and dtypes"
