"""data-dependent-shape: a boolean mask as an index, or `nonzero` and its like: the result is as long as values say."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.expected_failures import expected
from scanlint.branches.size_origins import Argument, argument_behind, doubtful, may_be_static
from scanlint.branches.value_shapes import Ragged, ragged_at
from scanlint.finding import Outcome, Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.static_help import place_of_jit, static_outcome
from scanlint.trace.unit import Unit

REPEAT = "jax.numpy.repeat"
"""The one of them whose count may well be a Python value."""


class DataDependentShape(Rule[ast.Call | ast.Subscript]):
    """`x[x > 0]`, `jnp.where(c)` or `jnp.unique(x)` of a tracer: its values, which set the shape, are not known yet."""

    code = "SCN209"
    name = "data-dependent-shape"
    level = "error"
    staged = True

    def check(self, node: ast.Call | ast.Subscript, context: Context) -> Iterator[Report]:
        unit = context.unit
        found = ragged_at(unit, node)
        if found is None or expected(unit, node) or doubtful(unit, found.needed):
            return
        written = ast.unparse(found.node.func) if isinstance(found.node, ast.Call) else ""
        what = (
            f"how long `{written}` is depends on values" if written else "a boolean mask is no index of a fixed shape"
        )
        argument = argument_behind(unit, found.needed) if found.asker == REPEAT else None
        if argument is not None and unit.value(found.needed).array:
            argument = None
        if argument is not None and may_be_static(unit, argument):
            return
        yield context.report(
            node,
            f"tracing `{unit.context(node).qualname}` fails here: {what}",
            label=f"`{ast.unparse(found.needed)}` is traced",
            help=place_of_jit(unit, argument) if argument is not None else _help(found, written),
            why=context.evidence(found.needed),
            primitive="static_argnames" if argument is not None else "where",
            outcome=_outcome(unit, found, argument),
        )


def _outcome(unit: Unit, found: Ragged, argument: Argument | None) -> Outcome:
    if argument is not None and argument.function is not None:
        return static_outcome(unit, argument, found.needed, found.node)
    from scanlint.rewrite.lower.expressions.masked_values import to_where

    return to_where(unit, found)


def _help(found: Ragged, written: str) -> str:
    if found.placed:
        return "`jnp.where(mask, value, x)` writes where a mask holds"
    if not written:
        return "`jnp.where(mask, x, 0)` keeps the shape, and so do reductions with `where=mask`"
    if found.asker == "jax.numpy.where":
        return "`size=` fixes the length, or `jnp.where(mask, x, y)` selects in place"
    return f"`{found.size}=` fixes the length (a Python value; what is missing is filled in)"
