"""stale-value: an attribute, global or local that a jitted function reads while it is traced, which changes later."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule


class StaleValue(Rule[ast.FunctionDef | ast.Lambda]):
    """What is no argument is a constant of the compiled program: the first call fixes it for all calls."""

    code = "SCN602"
    name = "stale-value"
    level = "advice"
    staged = True

    def check(self, node: ast.FunctionDef | ast.Lambda, context: Context) -> Iterator[Report]:
        if context.unit.source.tests or not context.traced(node):
            return
        from scanlint.host.captured.stale_reads import stale

        function = getattr(node, "name", "the lambda")
        for found in stale(context.unit, node):
            line = getattr(found.write, "lineno", 0)
            yield context.report(
                found.read,
                f"`{function}` keeps the `{found.name}` of its first call: {found.where} on line {line}, "
                "and what is compiled does not see that",
                label="read once, while tracing",
                help=f"hand `{found.name}` to `{function}` as an argument",
                level="warning" if found.sure else None,
            )
