"""traced-bool: `and`, `or`, `not`, chained comparisons and builtins that ask for the truth of a tracer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.tracer_truth import asks, operand_of_another
from scanlint.finding import Report
from scanlint.rules.base import Context, Rule

HELP = {
    ast.And: "`jnp.logical_and` gives the same for arrays",
    ast.Or: "`jnp.logical_or` gives the same for arrays",
}
BUILTINS = {
    "min": "`jnp.minimum`, or `jnp.min` over an array",
    "max": "`jnp.maximum`, or `jnp.max` over an array",
    "any": "`jnp.any` over an array",
    "all": "`jnp.all` over an array",
    "sorted": "`jnp.sort` of an array",
}


class TracedBool(Rule[ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Call]):
    """`x > 0 and y > 0` or `max(x, y)` on traced values: a TracerBoolConversionError when it is traced."""

    code = "SCN203"
    name = "traced-bool"
    level = "error"
    staged = True

    def check(self, node: ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Call, context: Context) -> Iterator[Report]:
        unit = context.unit
        if not asks(unit, node):
            return
        if not isinstance(node, ast.Call) and operand_of_another(unit, node):
            return
        from scanlint.rewrite.lower.expressions.tracer_logic import to_logic

        what, help = _said(node)
        yield context.report(
            node,
            f"tracing `{unit.context(node).qualname}` fails here: {what} needs a Python bool",
            label="what it decides on is traced",
            help=help,
            why=context.evidence(node) or next((context.evidence(n) for n in _operands(node)), ()),
            primitive="logical",
            outcome=to_logic(unit, node),
        )


def _said(node: ast.BoolOp | ast.UnaryOp | ast.Compare | ast.Call) -> tuple[str, str]:
    """What asks for a truth value, and what to write for it."""
    match node:
        case ast.BoolOp(op=op):
            return f"`{'and' if isinstance(op, ast.And) else 'or'}`", HELP[type(op)]
        case ast.UnaryOp():
            return "`not`", "`jnp.logical_not` gives the same for arrays"
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return "`in`", "`jnp.isin`, or `jnp.any` of the comparison"
        case ast.Compare():
            return "a chained comparison", "`jnp.logical_and` of its two comparisons"
        case ast.Call(func=ast.Name(id=name)):
            return f"`{name}`", BUILTINS.get(name, "the function of the same name in `jax.numpy`")
    return "this call", "the function of the same name in `jax.numpy`"


def _operands(node: ast.AST) -> list[ast.expr]:
    return [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
