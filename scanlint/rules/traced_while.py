"""traced-while: a `while` whose condition is a tracer, which Python cannot decide."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import quoted


class TracedWhile(Rule[ast.While]):
    """`while err > tol` on traced state: a TracerBoolConversionError when it is traced."""

    code = "SCN103"
    name = "traced-while"
    level = "error"
    staged = True

    def check(self, node: ast.While, context: Context) -> Iterator[Report]:
        if not context.unit.value(node.test).traced:
            return
        model = context.loop(node)
        yield context.report_loop(
            model,
            f"tracing `{context.unit.context(node).qualname}` fails here: `while` needs a Python bool",
            end=node.test,
            label="this condition is traced",
            help=f"carry {quoted(model.carried)} through `lax.while_loop`",
            why=context.evidence(node.test),
            primitive="while_loop",
        )
