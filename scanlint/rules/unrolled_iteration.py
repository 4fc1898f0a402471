"""unrolled-iteration: a `for` over the rows of an array, whose body is traced once per row."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import cure, per_trip, quoted, summing, times


class UnrolledIteration(Rule[ast.For]):
    """`for x in xs` with a carry and no collected outputs."""

    code = "SCN105"
    name = "unrolled-iteration"
    staged = True

    def check(self, node: ast.For, context: Context) -> Iterator[Report]:
        model = context.traced_loop(node)
        if model is None or model.collects or not any(s.kind == "rows" for s in model.streams):
            return
        if not context.worth_a_word(model):
            return
        yield context.report_loop(
            model,
            f"tracing `{context.unit.context(node).qualname}` unrolls this loop {times(model)}",
            label=per_trip(model),
            help=summing(context, model)
            or cure(model, f"carry {quoted(model.carried)} through `lax.scan` over the rows", context.by_hand(model)),
            primitive="scan",
        )
