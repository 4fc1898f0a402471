"""dummy-xs: `lax.scan` over an array that is made only to be counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.analysis.scans import dummy_scan
from scanlint.rules.base import Context, Report, Rule


class DummyXs(Rule):
    """`lax.scan(step, init, jnp.zeros(100))` where `step` never reads its second parameter."""

    code = "SCN401"
    name = "dummy-xs"
    nodes = (ast.Call,)

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        assert isinstance(node, ast.Call)
        scan = dummy_scan(context.unit, node)
        if scan is None:
            return
        from scanlint.rewrite.scans import without_xs

        source = context.unit.source
        yield context.report(
            scan.xs,
            f"this scan gets an array only to be counted: `{scan.step}` never reads its second argument",
            label="made, sliced and thrown away",
            help=f"hand in `xs=None` and `length={source.segment(scan.length)}`",
            outcome=without_xs(context.unit, scan),
        )
