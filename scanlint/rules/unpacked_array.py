"""unpacked-array: `key, *rest = jax.random.split(key, n)`, where an array is made of the list of rows again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule


class UnpackedRows(Rule[ast.Assign]):
    """Under a trace each row is an operation of the program; on the host each is dispatched."""

    code = "SCN407"
    name = "unpacked-array"

    def check(self, node: ast.Assign, context: Context) -> Iterator[Report]:
        if not isinstance(node.targets[0], ast.Tuple) or context.unit.source.tests:
            return
        from scanlint.host.results.unpacked_arrays import unpacked_array

        found = unpacked_array(context.unit, node)
        if found is None:
            return
        from scanlint.rewrite.lower.array_rows import as_slices

        rest, again = found.rest.id, found.stacked[0]
        yield context.report(
            node,
            f"this takes one slice for each row, and `{ast.unparse(again)}` on line {again.lineno} joins them again",
            end=node.targets[0],
            label=f"`{rest}` is a list of rows",
            help=f"keep the array, and take `{rest}` as a slice of it",
            outcome=as_slices(context.unit, found),
        )
