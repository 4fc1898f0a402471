"""unbatched-loop: a loop that applies a function to each example on its own and collects the results."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.loops.loop import LoopModel, few
from scanlint.trace.unit import Unit
from scanlint.finding import NotApplicable, Outcome, first_step
from scanlint.rules.base import Context, Rule
from scanlint.finding import Report
from scanlint.rules.loop_messages import quoted, times

if TYPE_CHECKING:
    from scanlint.batching.examples import Batch
    from scanlint.batching.gathered import GatheringLoop


class UnbatchedLoop(Rule):
    """`for i in range(xs.shape[0]): out.append(f(xs[i]))` and `jnp.stack(out)`; on the host `out.at[i].set(f(xs[i]))`."""

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
        adding = None
        if not context.traced(node):
            from scanlint.batching.gathered import gathering

            model = on_device(filled(model))
            adding = gathering(model)
            model = adding.model if adding is not None else model
        batch = context.batch(model) if not context.traced_bound(model) else None
        uses = [use for output in model.outputs for use in output.uses]
        jax = context.traced(node) or any(_by_jax(context.unit, use) for use in uses)
        jax = jax or (bool(model.outputs) and all(o.numpy or o in model.buffers for o in model.outputs))
        if adding is not None and (batch is None or batch.index is not None) and not adding.plain:
            return  # slices of an array may be as much as memory holds
        if (batch is None and adding is None) or not jax:
            return
        lists = quoted(list(dict.fromkeys(output.name for output in model.outputs)))
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
            outcome=_added(adding, batch) if adding is not None else _mapped(model, batch),
        )


def on_device(model: LoopModel) -> LoopModel:
    """The loop that collects what JAX computes, where it fetches that one by one."""
    if not model.outputs:
        return model
    from scanlint.batching.fetches import on_device as fetching

    return fetching(model)


def filled(model: LoopModel) -> LoopModel:
    """The loop with the arrays that it only fills, row by row, as what it collects."""
    stored = [p for p in ast.walk(model.node) if isinstance(p, ast.Subscript) and isinstance(p.ctx, ast.Store)]
    if not stored and not any(isinstance(p, ast.Attribute) and p.attr == "at" for p in ast.walk(model.node)):
        return model
    from scanlint.rewrite.lower.loops.row_buffers import buffered, in_order

    stacking = buffered(model)
    rising = in_order(stacking) if stacking is not None else None
    return rising or model


def _added(adding: GatheringLoop, batch: Batch | None) -> Outcome:
    from scanlint.rewrite.lower.batches.gathered_updates import to_one_addition

    return to_one_addition(adding, batch)


def _mapped(model: LoopModel, batch: Batch | None) -> Outcome:
    """`vmap` over the rows; over their numbers where the array may have fewer, or more, and that is refuted."""
    from scanlint.batching.examples import batch_of
    from scanlint.rewrite.lower.batches.batch_map import to_vmap
    from scanlint.rewrite.normalize.accumulators.tuple_appends import with_arrays
    from scanlint.rewrite.lower.loops.loop_passes import first_of, mapped_rows, or_full_ranges
    from scanlint.rewrite.normalize.stacked_iterables import with_name

    assert batch is not None
    step = first_step(way(model) for way in (with_arrays, with_name))
    if not isinstance(step, NotApplicable):
        return step
    if model.buffers:
        return first_of(mapped_rows(model, batch))
    by_number = batch_of(model, numbered=True) if model.unit.context(model.node).traced else None
    again = by_number is not None and batch.index is None and by_number.index is not None
    found = first_of([to_vmap(model, batch), *([to_vmap(model, by_number)] if again and by_number else [])])
    return or_full_ranges(found, model)


def _by_jax(unit: Unit, use: ast.Name) -> bool:
    """Whether the list becomes a jax array."""
    parent = unit.parents.get(use)
    return isinstance(parent, ast.Call) and (unit.resolve(parent.func) or "").startswith("jax.numpy.")
