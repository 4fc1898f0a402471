"""traced-assert: an `assert` of a tracer, which Python cannot decide."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule

HELP = (
    "check it with `checkify.check(test, message)` under `jax.experimental.checkify.checkify`, "
    "or outside of traced code"
)


class TracedAssert(Rule[ast.Assert]):
    """`assert jnp.all(x > 0)` on a traced value: a TracerBoolConversionError when it is traced."""

    code = "SCN205"
    name = "traced-assert"
    level = "error"
    staged = True

    def check(self, node: ast.Assert, context: Context) -> Iterator[Report]:
        if not context.unit.value(node.test).traced:
            return
        yield context.report(
            node,
            f"tracing `{context.unit.context(node).qualname}` fails here: `assert` needs a Python bool",
            end=node.test,
            label="this condition is traced",
            help=HELP,
            why=context.evidence(node.test),
        )
