"""growing-array: an array of JAX that a host loop makes longer on each trip."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule


class GrowingArray(Rule[ast.For | ast.While]):
    """JAX compiles a program for each shape: one for each trip, and each copies all that was collected before."""

    code = "SCN410"
    name = "growing-array"
    level = "advice"

    def check(self, node: ast.For | ast.While, context: Context) -> Iterator[Report]:
        if context.traced(node):
            return
        from scanlint.host.results.lengthened_arrays import growing

        found = growing(context.loop(node), context.settings)
        if found is None:
            return
        function = ast.unparse(found.call.func)
        added = ", ".join(" ".join(ast.unparse(part).split()) for part in found.added)
        yield context.report(
            found.call,
            f"`{found.name}` is longer on each trip of this loop: `{function}` is compiled again for each length",
            end=found.call.func,
            label="another shape each time",
            help=f"append `{added}` to a Python list, and make one array of the list after the loop",
        )
