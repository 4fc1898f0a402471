"""traced-lookup: a list, tuple, dict or array of NumPy indexed by a tracer, which only arrays of JAX take."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.expected_failures import expected
from scanlint.branches.python_lookups import TracedSubscript, lookup_at
from scanlint.branches.size_origins import doubtful
from scanlint.finding import Report
from scanlint.rules.base import Context, Rule

HOLDERS = {"list": "a list", "tuple": "a tuple", "range": "a range", "dict": "a dict", "numpy": "an array of NumPy"}


class TracedLookup(Rule[ast.Subscript]):
    """`[0.1, 0.2][i]`, `layers[i]` or `TABLE[i]` of NumPy with a tracer: Python wants to know which element it is."""

    code = "SCN211"
    name = "traced-lookup"
    level = "error"
    staged = True

    def check(self, node: ast.Subscript, context: Context) -> Iterator[Report]:
        unit = context.unit
        found = lookup_at(unit, node)
        if found is None or expected(unit, node) or doubtful(unit, found.key):
            return
        from scanlint.rewrite.lower.expressions.lookups import to_lookup

        yield context.report(
            node,
            f"tracing `{unit.context(node).qualname}` fails here: {HOLDERS[found.holder]} is indexed by a tracer",
            label=f"`{ast.unparse(found.key)}` is traced",
            help=_help(found),
            why=context.evidence(found.key),
            primitive="switch" if found.callables else "other",
            outcome=to_lookup(unit, found),
        )


def _help(found: TracedSubscript) -> str:
    held = ast.unparse(found.node.value)
    if found.callables and found.holder != "dict":
        return f"`lax.switch({ast.unparse(found.key)}, {held}, ...)` calls the one of that number"
    if found.holder == "dict":
        return "look it up by a static argument, or number the entries and index an array of them"
    made = "jnp.asarray" if found.holder == "numpy" else "jnp.array"
    return f"`{made}({held})` takes a traced index"
