"""dummy-xs: `lax.scan` over an array that is made only to be counted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule

if TYPE_CHECKING:
    from scanlint.loops.scans.scan_calls import DummyScan


class DummyXs(Rule[ast.Call]):
    """`lax.scan(step, init, jnp.zeros(100))` where `step` never reads its second parameter."""

    code = "SCN401"
    name = "dummy-xs"
    calls = frozenset(("jax.lax.scan",))

    def check(self, node: ast.Call, context: Context) -> Iterator[Report]:
        from scanlint.loops.scans.scan_calls import dummy_scan

        scan = dummy_scan(context.unit, node)
        if scan is None or (context.unit.source.tests and _short(scan, context)):
            return
        from scanlint.rewrite.lower.scan_length import without_xs

        source = context.unit.source
        yield context.report(
            scan.xs,
            f"this scan gets an array only to be counted: {scan.step} never reads what it gets of it",
            label="made, sliced and thrown away",
            help=f"hand in `xs=None` and `length={source.segment(scan.length)}`",
            outcome=without_xs(context.unit, scan),
        )


def _short(scan: DummyScan, context: Context) -> bool:
    """Whether the array is known to be short."""
    count = context.unit.value(scan.length).constant
    return isinstance(count, int) and count <= context.settings.max_unrolled_trips
