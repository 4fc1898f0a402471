"""jit-of-method: `@jax.jit` on a method, which makes its object an argument that JAX cannot take."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.branches.expected_failures import expected
from scanlint.branches.jitted_methods import JittedMethod, jitted_method
from scanlint.finding import Report
from scanlint.rules.base import Context, Rule


class JitOfMethod(Rule[ast.FunctionDef]):
    """`@jax.jit` on a method of a class that is no pytree: every call is a TypeError."""

    code = "SCN212"
    name = "jit-of-method"
    level = "error"

    def check(self, node: ast.FunctionDef, context: Context) -> Iterator[Report]:
        found = jitted_method(context.unit, node)
        if found is None or expected(context.unit, node):
            return
        from scanlint.rewrite.lower.jitted_receivers import to_static_receiver

        yield context.report(
            found.jit.node,
            f"calling `{context.unit.qualname}` fails: its `{found.receiver}` is an argument of the jit, "
            f"and a `{found.owner.name}` is no pytree",
            end=found.jit.node,
            label=f"`{found.receiver}` would be traced",
            help=_help(found),
            primitive="static_argnames",
            outcome=to_static_receiver(context.unit, found),
        )


def _help(found: JittedMethod) -> str:
    if found.linen:
        return "jit what calls the module (`jax.jit(model.apply)`), or decorate the method with flax's own `nn.jit`"
    if found.changes is not None or not found.hashed:
        return (
            f"jit a function of the arrays that it reads, or make `{found.owner.name}` a pytree (`register_dataclass`)"
        )
    return f"`static_argnums=0` where the attributes never change, else make `{found.owner.name}` a pytree"
