"""leaked-tracer: a traced function that leaves a tracer in a list, dict, attribute or global beyond its trace."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.trace.domain.evidence import trail


class LeakedTracer(Rule[ast.Expr | ast.Assign | ast.AugAssign]):
    """The statement runs once, while tracing: what it leaves there stands for no value, and fails when it is used."""

    code = "SCN603"
    name = "leaked-tracer"
    level = "advice"
    staged = True

    def check(self, node: ast.Expr | ast.Assign | ast.AugAssign, context: Context) -> Iterator[Report]:
        if context.unit.source.tests:
            return
        from scanlint.host.captured.leaks import leak

        found = leak(context.unit, node)
        if found is None:
            return
        function = getattr(found.function, "name", "the lambda")
        yield context.report(
            node,
            f"`{found.kept}` of {found.owner} gets a tracer of `{function}`: it is stored once, while tracing, "
            "and stands for no value afterwards",
            label="outlives the trace",
            help=f"return it from `{function}`, and store what the call gives",
            why=trail(context.unit.value(found.value).why),
            level="warning" if found.lasting else None,
        )
