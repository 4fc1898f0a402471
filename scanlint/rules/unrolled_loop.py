"""unrolled-loop: a `for` whose body is traced once per trip, and only the last state is used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.loops.loop import LoopModel
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import cure, per_trip, quoted, stacking, summing, times


class UnrolledLoop(Rule[ast.For]):
    """`for i in range(n)` with an array carry."""

    code = "SCN101"
    name = "unrolled-loop"
    staged = True

    def check(self, node: ast.For, context: Context) -> Iterator[Report]:
        model = context.traced_loop(node)
        if model is None or model.collects or any(s.kind == "rows" for s in model.streams):
            return
        if context.traced_bound(model) or not context.worth_a_word(model):
            return
        by_hand = context.by_hand(model)
        yield context.report_loop(
            model,
            f"tracing `{context.unit.context(node).qualname}` unrolls this loop {times(model)}",
            label=per_trip(model),
            help=summing(context, model) or cure(model, _change(model, by_hand), by_hand),
            primitive="fori_loop",
        )


PEELED = {"carry-not-an-array", "maybe-undefined"}
"""What is in the way until the first trip stands before the loop."""


def _change(model: LoopModel, by_hand: bool) -> str:
    from scanlint.loops.rows.buffers import buffered, within
    from scanlint.rewrite.lower.loops.row_inputs import rows_read_by_index

    if within(model) is not None:
        return f"compute a whole row of {quoted(model.carried)} with `jax.vmap`"
    if not by_hand and any(o.code not in PEELED for o in model.obstacles):
        return stacking(model)
    filled = buffered(model)
    if filled is None or not filled.carried:
        row = rows_read_by_index(model)
        rolled = "`lax.fori_loop`" if row is None else f"`lax.scan` over `{row.xs}`"
        return f"carry {quoted(model.carried)} through {rolled}"
    return stacking(filled)
