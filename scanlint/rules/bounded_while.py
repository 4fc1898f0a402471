"""bounded-while: a `lax.while_loop` that does nothing but count to a bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule


class BoundedWhile(Rule[ast.Call]):
    """How often it runs is known before, but not to JAX: reverse mode has no way back through it."""

    code = "SCN414"
    name = "bounded-while"
    level = "advice"
    calls = frozenset(["jax.lax.while_loop"])

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        from scanlint.loops.scans.counting_loops import counting_loop

        found = counting_loop(context.unit, node)
        if found is None or context.unit.backward(node):
            return
        start, bound = ast.unparse(found.start), ast.unparse(found.bound)
        number = "" if context.unit.value(found.bound).static else f", where `{bound}` is a Python number"
        yield context.report(
            node,
            f"this `while_loop` only counts to `{bound}`: JAX cannot differentiate it in reverse mode",
            end=node.func,
            label="nothing else ends it",
            help=f"`lax.fori_loop({start}, {bound}, ...)`, which counts by itself and can be differentiated{number}",
            primitive="fori_loop",
        )
