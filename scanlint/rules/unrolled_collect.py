"""unrolled-collect: a `for` whose body is traced once per trip, and that collects an output per step."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import cure, per_trip, stacking, times


class UnrolledCollect(Rule[ast.For]):
    """A list that is stacked afterwards, where trips share more than that."""

    code = "SCN102"
    name = "unrolled-collect"
    staged = True

    def check(self, node: ast.For, context: Context) -> Iterator[Report]:
        model = context.traced_loop(node)
        if model is None or not model.collects or context.batch(model) is not None:
            return  # with a batch it is unbatched-loop's
        if context.traced_bound(model) or not context.worth_a_word(model):
            return
        yield context.report_loop(
            model,
            f"tracing `{context.unit.context(node).qualname}` unrolls this loop {times(model)}",
            label=per_trip(model),
            help=cure(model, stacking(model), context.by_hand(model)),
            primitive="scan",
        )
