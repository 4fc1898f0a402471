"""unbatched-comprehension: a list comprehension over examples that `jnp.stack` or `jnp.array` makes into an array."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.syntax.bindings import targets
from scanlint.loops.loop import few
from scanlint.loops.streams import Stream, streams_of, trips_of
from scanlint.trace.unit import Unit
from scanlint.rules.base import Context, Rule
from scanlint.finding import Report


class UnbatchedComprehension(Rule):
    """`jnp.stack([f(x) for x in xs])`, and `ys = [f(x) for x in xs]` of which nothing but `jnp.stack(ys)` is made."""

    code = "SCN302"
    name = "unbatched-comprehension"
    nodes = (ast.ListComp,)

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        match node:
            case ast.ListComp(
                elt=element, generators=[ast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)]
            ):
                pass
            case _:
                return
        unit = context.unit
        stacks = _stacks(unit, node)
        if not stacks:
            return
        from scanlint.batching.examples import find_batch

        streams = tuple(streams_of(unit, target, iterable))
        trips = trips_of(unit, streams)
        if not streams or few(unit, trips, context.settings):
            return
        batch = find_batch(unit, node, streams, (), (element,))
        if batch is None and context.traced(node) and _by_number(context, node, streams, element):
            batch = find_batch(unit, node, streams, (), (element,), numbered=True)
        if batch is None:
            return
        from scanlint.rewrite.lower.batches.batch_map import comprehension_to_vmap

        code = unit.source.segment(iterable)
        if context.traced(node):
            message = f"tracing `{unit.context(node).qualname}` unrolls this comprehension once per element of `{code}`"
        else:
            message = f"this comprehension computes one element at a time over `{code}`"
        yield context.report(
            stacks[0] if stacks[0].args[0] is node else node,
            message,
            label="no element needs another one's result",
            help="compute the elements together with `jax.vmap`",
            trips=trips,
            primitive="vmap",
            outcome=comprehension_to_vmap(batch, node, stacks),
        )


def _stacks(unit: Unit, node: ast.ListComp) -> list[ast.Call]:
    """The calls that make arrays of a list, where nothing else is done with it."""
    parent = unit.parents.get(node)
    match parent:
        case ast.Call() if _is_stack(unit, parent, node):
            return [parent]
        case ast.Assign(targets=[ast.Name(id=name)]):
            uses = [n for n in unit.every(ast.Name) if n.id == name]
            loads = [n for n in uses if isinstance(n.ctx, ast.Load)]
            calls = [call for n in loads if isinstance(call := unit.parents.get(n), ast.Call)]
            stacked = all(_is_stack(unit, call, n) for call, n in zip(calls, loads, strict=False))
            once = len(uses) == len(loads) + 1 and len(calls) == len(loads)
            return calls if once and stacked and not any(c.args[1:] or c.keywords for c in calls) else []
    return []


def _is_stack(unit: Unit, call: ast.Call, array: ast.expr) -> bool:
    from scanlint.batching.examples import STACKS

    plain = len(call.args) <= 2 and all(k.arg == "axis" for k in call.keywords)
    return plain and call.args[:1] == [array] and unit.resolve(call.func) in STACKS


def _by_number(context: Context, node: ast.ListComp, streams: tuple[Stream, ...], element: ast.expr) -> bool:
    """Whether arrays are computed of many numbers, for which tracers may stand."""
    from scanlint.loops.obstacles import index_needs_int
    from scanlint.policy.worth import worth_mapping

    staged = frozenset(n for s in streams for n in targets(s.target))
    if next(index_needs_int(context.unit, element, staged), None) is not None:
        return False
    return worth_mapping(context.unit, node, streams, element, context.settings)
