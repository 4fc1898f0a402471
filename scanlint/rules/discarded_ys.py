"""discarded-ys: `lax.scan` that builds outputs nobody reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.jaxapi.canonical import SCANS
from scanlint.rules.base import Context, Rule


class DiscardedYs(Rule[ast.Call]):
    """`carry, _ = lax.scan(step, init, xs)` where `step` returns more than `None` beside the carry."""

    code = "SCN402"
    name = "discarded-ys"
    calls = SCANS

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        from scanlint.loops.scans.scan_outputs import is_none, unread_outputs

        scan = unread_outputs(context.unit, node)
        if scan is None:
            return
        from scanlint.rewrite.lower.scan_pairs import without_outputs

        output = next(p.elts[1] for p in scan.pairs if not is_none(p.elts[1]))
        written = " ".join(ast.unparse(output).split())
        shown = f"`{written}`" if len(written) <= 40 else "an output"
        also = f", here and in {scan.others} more" if scan.others else ""
        yield context.report(
            node,
            f"this scan stacks outputs that nobody reads: {scan.name} returns {shown} for each step",
            end=node.func,
            label=f"only the carry is used{also}",
            help="return `None` beside the carry",
            primitive="scan",
            outcome=without_outputs(context.unit, scan),
        )
