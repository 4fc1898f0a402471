"""grad-through-while: reverse-mode differentiation through `lax.while_loop` or a `fori_loop` with a traced bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.trace.domain.evidence import links

LOOPS = frozenset(("jax.lax.while_loop", "jax.lax.fori_loop", "haiku.while_loop", "haiku.fori_loop"))
HELP = {
    "while_loop": "scan over a fixed number of trips, the most that there can be, and keep the carry once it is done",
    "fori_loop": "make the bound a Python number (a static argument), or scan over a fixed number of trips with a mask",
}


class GradThroughWhile(Rule[ast.Call]):
    """A loop whose number of trips is not known keeps no values to go back through: JAX raises."""

    code = "SCN403"
    name = "grad-through-while"
    level = "error"
    calls = LOOPS

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        why = context.unit.backward(node)
        if not why:
            return
        name = (context.unit.resolve(node.func) or "").rpartition(".")[2]
        bound = " with a traced bound" if name == "fori_loop" else ""
        by = why[-1].text.partition("<- ")[2].partition(" in ")[0]
        report = context.report(
            node,
            f"{by} goes back through this `{name}`{bound}: JAX cannot differentiate it in reverse mode",
            end=node.func,
            label="how often it runs is not known while tracing",
            help=HELP[name],
            primitive="scan",
        )
        yield report._replace(finding=replace(report.finding, chain=links(why)))
