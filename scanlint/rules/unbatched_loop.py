"""unbatched-loop: a loop that applies a function to each example on its own and collects the results."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from scanlint.finding import NotApplicable, Outcome, Report, Rewrite, first_of
from scanlint.loops.loop import LoopModel, few
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import quoted, times
from scanlint.rules.piecemeal_loops import speaks
from scanlint.syntax.bindings import walk_scope
from scanlint.syntax.edits import apply_edits, line_edits, moved, tidied
from scanlint.syntax.source import Source
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

if TYPE_CHECKING:
    from scanlint.batching.examples import Batch
    from scanlint.batching.gathered import GatheringLoop


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class UnbatchedLoop(Rule[ast.For]):
    """`for i in range(xs.shape[0]): out.append(f(xs[i]))` and `jnp.stack(out)`; or `out.at[i].set(f(xs[i]))`."""

    code = "SCN301"
    name = "unbatched-loop"

    def check(self, node: ast.For, context: Context) -> Iterator[Report]:
        found = examples(node, context)
        if found is None:
            yield from _advice(node, context)
        if found is None or _part_of_another(node, context):
            return
        lists = quoted(list(dict.fromkeys(output.name for output in found.model.outputs)))
        trips = times(context.loop(node))
        if context.traced(node):
            message = f"tracing `{context.unit.context(node).qualname}` unrolls this loop {trips}"
        else:
            message = f"this loop runs its body {trips}, one example at a time"
        yield context.report(
            node,
            message,
            end=node.iter,
            label="no trip needs another one's result",
            help=f"compute {lists} with `jax.vmap`, or with `jax.lax.map(..., batch_size=...)` if memory is short",
            trips=context.loop(node).trips,
            primitive="vmap",
            outcome=found.outcome,
        )


def _advice(node: ast.For, context: Context) -> Iterator[Report]:
    """The advice for a loop that calls a jitted function for each example, where no batch is evident."""
    from scanlint.batching.one_by_one import one_by_one
    from scanlint.host.dispatches import reckoned

    found = one_by_one(context.loop(node), context.settings) if not context.traced(node) else None
    if found is None or speaks(context, node):
        return
    keys = f", with keys that are split before (`jax.random.split({found.key}, n)`)" if found.key is not None else ""
    if found.eager:
        message = f"this loop runs `{found.function}` for one example at a time, outside of jit"
        cure = f"compute all examples at once by `jax.vmap`, in a function that is jitted{keys}"
    else:
        message = f"this loop calls the jitted `{found.function}` for one example at a time"
        cure = f"hand it all examples at once by `jax.vmap`, or by `jax.lax.map(..., batch_size=...)`{keys}"
    report = context.report(
        node,
        message,
        end=node.iter,
        label=f"dispatches {times(found.model)}",
        help=cure,
        trips=found.model.trips,
        primitive="vmap",
        outcome=found.hindered,
        level="advice",
        weight=reckoned(found.model),
    )
    yield report._replace(outcome=None)  # no form of the loop is another one


class Examples(NamedTuple):
    """A loop that treats each example on its own, as what it collects, and what becomes of it.

    `nest`: it does once the loop inside, which does so too, is one call.
    """

    model: LoopModel
    outcome: Outcome
    nest: bool = False


def examples(node: ast.For, context: Context) -> Examples | None:
    """The loop, if it is such a one; worked out once, for the loops inside it ask too."""
    return context.unit.once((examples, node), lambda: _examples(node, context))


def _examples(node: ast.For, context: Context) -> Examples | None:
    model = context.loop(node)
    if not model.streams or few(context.unit, model.trips, context.settings):
        return None
    found = _collected(model, context)
    if found is not None or context.traced(node):
        return found
    return _row(model, context) or _nest(model, context)


def _collected(model: LoopModel, context: Context) -> Examples | None:
    """A loop that collects what it makes of each example, or adds it up."""
    adding, traced = None, context.traced(model.node)
    if not traced:
        from scanlint.batching.gathered import gathering

        model = on_device(filled(model))
        adding = gathering(model)
        model = adding.model if adding is not None else model
    batch = context.batch(model) if not context.traced_bound(model) else None
    uses = [use for output in model.outputs for use in output.uses]
    jax = traced or any(_by_jax(context.unit, use) for use in uses)
    jax = jax or (bool(model.outputs) and all(o.numpy or o in model.buffers for o in model.outputs))
    if not traced and not _filled_by_jax(model):
        return None
    if adding is not None and (batch is None or batch.index is not None) and not adding.plain:
        return None  # slices of an array may be as much as memory holds
    if not traced and batch is not None and _takes_chunks(batch):
        return None
    if (batch is None and adding is None) or not jax:
        return None
    return Examples(model, _added(adding, batch) if adding is not None else _mapped(model, batch))


def _takes_chunks(batch: Batch) -> bool:
    """`for i in range(0, n, size): f(xs[i : i + size])`: each trip takes as many as memory holds."""
    if batch.index is None or batch.counter is None or batch.counter.step is None:
        return False
    step = ast.unparse(batch.counter.step)
    ends = {f"{batch.index} + {step}", f"{step} + {batch.index}"}
    slices = (n for part in (*batch.statements, *batch.elements) for n in walk(part) if isinstance(n, ast.Slice))
    return any(ast.unparse(n) in ends for s in slices if s.upper is not None for n in walk(s.upper))


def _filled_by_jax(model: LoopModel) -> bool:
    """Whether what goes into arrays of NumPy surely comes from JAX: nothing that NumPy computes is taken from it."""
    from scanlint.host.callees import by_jax

    return all(by_jax(model.unit, output.element) for output in model.outputs if output.numpy)


def _row(model: LoopModel, context: Context) -> Examples | None:
    """A loop that fills a row of an array."""
    if not any(stream.kind == "range" for stream in model.streams) or not any(map(_sets_items, model.node.body)):
        return None
    from scanlint.loops.rows.buffers import within

    filling = within(model)
    if filling is None:
        return None
    row = on_device(filling[0])
    batch = context.batch(row)
    if batch is None or not _filled_by_jax(row):
        return None
    from scanlint.rewrite.lower.batches.batch_map import to_vmap

    return Examples(row, to_vmap(row, batch, row=filling[1]))


def _sets_items(statement: ast.stmt) -> bool:
    """`d[i, j] = y` or `d = d.at[i, j].set(y)`."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Tuple())]):
            return True
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Subscript(slice=ast.Tuple())))):
            return True
    return False


def _nest(model: LoopModel, context: Context) -> Examples | None:
    """A loop around one of its kind: what it is once that one is a call."""
    inner = [part for part in walk_scope(model.node.body) if isinstance(part, ast.For)]
    found = examples(inner[0], context) if len(inner) == 1 else None
    if found is None or not isinstance(found.outcome, Rewrite):
        return None
    unit, source = context.unit, context.unit.source
    first = found.outcome._replace(plainer=None)
    if first.next or not source.holds(first.edits):
        return None  # what comes next speaks of the text in between
    again = unit.renew(source.changed(source.edited(first.edits), first.imports))
    place = source.start(model.node)
    outer = next((n for n in again.every(ast.For) if again.source.start(n) == place), None) if again else None
    left = _collected(LoopModel(again, outer), context._replace(unit=again)) if again and outer else None
    if left is None or again is None or not isinstance(left.outcome, Rewrite):
        return None
    both = [_both(source, first, again.source, made) for made in left.outcome.choices() if not made.next]
    if not both:
        return None
    return Examples(left.model, first_of(both), nest=True)


def _both(source: Source, first: Rewrite, between: Source, second: Rewrite) -> Rewrite:
    """Two rewrites as one; `between` is the text after the first one."""
    after = tidied(between.text, [moved(edit, -between.above) for edit in second.edits])
    edits = line_edits(source.text, apply_edits(between.text, after))
    made = tuple(moved(edit, source.above) for edit in edits)
    return second._replace(edits=made, imports=(*first.imports, *second.imports))


def _part_of_another(node: ast.For, context: Context) -> bool:
    """Whether a loop around this one is reported, and takes it in."""
    around = next((a for a in context.unit.ancestors(node) if isinstance(a, ast.For | FUNCTIONS)), None)
    found = examples(around, context) if isinstance(around, ast.For) and not context.traced(node) else None
    return found is not None and found.nest


def on_device(model: LoopModel) -> LoopModel:
    """The loop that collects what JAX computes, where it fetches that one by one."""
    if not model.outputs:
        return model
    from scanlint.batching.fetches import on_device as fetching

    return fetching(model)


def filled(model: LoopModel) -> LoopModel:
    """The loop with the arrays that it only fills, row by row, as what it collects."""
    stored = [p for p in walk(model.node) if isinstance(p, ast.Subscript) and isinstance(p.ctx, ast.Store)]
    if not stored and not any(isinstance(p, ast.Attribute) and p.attr == "at" for p in walk(model.node)):
        return model
    from scanlint.loops.rows.buffers import buffered, in_order

    stacking = buffered(model, columns=True)
    rising = in_order(stacking) if stacking is not None else None
    return rising or model


def _added(adding: GatheringLoop, batch: Batch | None) -> Outcome:
    from scanlint.rewrite.lower.batches.gathered_updates import to_one_addition

    return batch.host if batch is not None and batch.host is not None else to_one_addition(adding, batch)


def _mapped(model: LoopModel, batch: Batch | None) -> Outcome:
    """`vmap` over the rows; over their numbers where the array may have fewer, or more, and that is refuted."""
    from scanlint.batching.examples import batch_of
    from scanlint.rewrite.lower.batches.batch_map import to_vmap
    from scanlint.rewrite.lower.loops.loop_passes import mapped_rows, or_full_ranges, weak_tables
    from scanlint.rewrite.normalize.stacked_iterables import with_name

    assert batch is not None
    step = with_name(model)
    if not isinstance(step, NotApplicable):
        return step
    if model.buffers:
        return first_of(mapped_rows(model, batch))
    by_number = batch_of(model, numbered=True) if model.unit.context(model.node).traced else None
    again = by_number is not None and batch.index is None and by_number.index is not None
    numbered = [to_vmap(model, by_number)] if again and by_number else []
    found = first_of([to_vmap(model, batch), *numbered, *weak_tables(model)])
    return or_full_ranges(found, model)


def _by_jax(unit: Unit, use: ast.Name) -> bool:
    """Whether the list becomes a jax array."""
    parent = unit.parents.get(use)
    return isinstance(parent, ast.Call) and (unit.resolve(parent.func) or "").startswith("jax.numpy.")
