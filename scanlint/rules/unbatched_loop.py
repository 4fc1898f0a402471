"""unbatched-loop: a loop that applies a function to each example on its own and collects the results."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.analysis.loops import LoopModel, few
from scanlint.analysis.unit import Unit
from scanlint.rules.base import Context, Report, Rule
from scanlint.rules.loop_words import quoted, times


class UnbatchedLoop(Rule):
    """`for i in range(xs.shape[0]): out.append(f(xs[i]))` and `jnp.stack(out)`."""

    code = "SCN301"
    name = "unbatched-loop"
    nodes = (ast.For,)

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        assert isinstance(node, ast.For)
        model = context.loop(node)
        if not model.streams:
            return
        if few(context.unit, model.trips, context.settings):
            return
        if not model.outputs or model.carried or model.last_values or model.live_targets:
            return
        if model.obstacles or context.traced_bound(model):
            return
        from scanlint.analysis.batches import batch_of

        batch = batch_of(model)
        if batch is None or not any(_by_jax(context.unit, use) for output in model.outputs for use in output.uses):
            return
        from scanlint.rewrite.batches import to_vmap

        lists = quoted([output.name for output in model.outputs])
        if context.traced(node):
            message = f"tracing `{context.unit.context(node).qualname}` unrolls this loop {times(model)}"
        else:
            message = f"this loop runs its body {times(model)}, one example at a time"
        yield context.report(
            node,
            message,
            end=node.iter,
            label="no trip needs another one's result",
            help=f"compute {lists} with `jax.vmap`, or with `jax.lax.map(..., batch_size=...)` if memory is short",
            trips=model.trips,
            primitive="vmap",
            outcome=to_vmap(model, batch),
        )


def _by_jax(unit: Unit, use: ast.Name) -> bool:
    """Whether the list becomes a jax array."""
    parent = unit.parents.get(use)
    return isinstance(parent, ast.Call) and (unit.resolve(parent.func) or "").startswith("jax.numpy.")
