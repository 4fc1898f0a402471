"""traced-range: `range()` with a bound that is a tracer, which Python cannot count to."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import quoted


class TracedRange(Rule[ast.For]):
    """`for i in range(n)` with a traced `n`: a TracerIntegerConversionError when it is traced."""

    code = "SCN104"
    name = "traced-range"
    level = "error"
    staged = True

    def check(self, node: ast.For, context: Context) -> Iterator[Report]:
        model = context.traced_loop(node)
        bound = context.traced_bound(model) if model is not None else None
        if model is None or bound is None:
            return
        yield context.report_loop(
            model,
            f"tracing `{context.unit.context(node).qualname}` fails here: `range` gets a traced bound",
            label=f"`{context.unit.source.segment(bound)}` is traced",
            help=f"carry {quoted(model.carried)} through `lax.fori_loop`, which takes a traced bound",
            why=context.evidence(bound),
            primitive="fori_loop",
        )
