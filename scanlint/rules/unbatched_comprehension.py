"""unbatched-comprehension: a list comprehension over examples inside `jnp.stack` or `jnp.array`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.analysis.loops import few, streams_of, trips_of
from scanlint.rules.base import Context, Report, Rule


class UnbatchedComprehension(Rule):
    """`jnp.stack([f(x) for x in xs])`."""

    code = "SCN302"
    name = "unbatched-comprehension"
    nodes = (ast.Call,)

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        assert isinstance(node, ast.Call)
        unit = context.unit
        if not _plain(node):
            return
        match node.args:
            case [
                ast.ListComp(
                    elt=element, generators=[ast.comprehension(target=target, iter=iterable, ifs=[], is_async=0)]
                ),
                *_,
            ]:
                pass
            case _:
                return
        from scanlint.analysis.batches import STACKS, find_batch

        if unit.resolve(node.func) not in STACKS:
            return
        streams = tuple(streams_of(unit, target, iterable))
        trips = trips_of(unit, streams)
        if not streams or few(unit, trips, context.settings):
            return
        batch = find_batch(unit, node, streams, (), (element,))
        if batch is None:
            return
        from scanlint.rewrite.batches import comprehension_to_vmap, stack_axis

        code = unit.source.segment(iterable)
        if context.traced(node):
            message = f"tracing `{unit.context(node).qualname}` unrolls this comprehension once per element of `{code}`"
        else:
            message = f"this comprehension computes one element at a time over `{code}`"
        yield context.report(
            node,
            message,
            label="no element needs another one's result",
            help="compute the elements together with `jax.vmap`",
            trips=trips,
            primitive="vmap",
            outcome=comprehension_to_vmap(batch, node, stack_axis(node)),
        )


def _plain(call: ast.Call) -> bool:
    return len(call.args) <= 2 and all(k.arg == "axis" for k in call.keywords)
