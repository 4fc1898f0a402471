"""eager-transform: a host loop that calls `grad`, `value_and_grad` or `hessian` of a function outside of jit."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.jaxapi.scipy_solvers import SCIPY_SOLVERS
from scanlint.rules.base import Context, Rule
from scanlint.rules.piecemeal_loops import speaks

SHOWN = 60


class EagerTransform(Rule[ast.For | ast.While | ast.Call | ast.FunctionDef]):
    """Nothing of it is kept from trip to trip: tracing takes milliseconds, and each operation is dispatched alone."""

    code = "SCN408"
    name = "eager-transform"
    level = "advice"
    calls = SCIPY_SOLVERS

    def check(self, node: ast.For | ast.While | ast.Call | ast.FunctionDef, context: Context) -> Iterator[Report]:
        if context.traced(node):
            return
        if isinstance(node, ast.FunctionDef):
            yield from _applied(node, context)
            return
        if isinstance(node, ast.Call):
            yield from _solved(node, context)
            return
        from scanlint.host.results.eager_transforms import eager_transform

        found = eager_transform(context.loop(node), context.settings)
        if found is None or speaks(context, node):
            return
        function = " ".join(ast.unparse(found.call.func).split())
        shown = function if len(function) <= SHOWN else found.transform
        made = isinstance(found.call.func, ast.Call)
        whole = f"`jax.jit({shown})`" if made else f"`jax.jit` of `{shown}`"
        yield context.report(
            found.call,
            f"each trip of this loop traces `{shown}` again and runs its operations one by one: no jit is around it",
            end=found.call.func,
            label=f"`{found.transform}` outside of jit",
            help=f"make {whole} once, before the loop, or jit the whole step",
        )


def _applied(function: ast.FunctionDef, context: Context) -> Iterator[Report]:
    """A model that a function applies, which a loop calls: it is compiled by nothing."""
    from scanlint.host.results.unjitted_models import applied_model

    found = applied_model(context.unit, function)
    if found is not None:
        shown = ast.unparse(found.call.func)
        keeps = f"`{shown} = jax.jit({found.apply})`" if shown != found.apply else f"`jax.jit({found.apply})`"
        yield context.report(
            found.call,
            f"each call of `{function.name}` applies `{shown}` one operation after the other: no jit is around it",
            end=found.call.func,
            label="called in a loop, outside of jit",
            help=f"jit it once, where the model is made: {keeps}",
        )


def _solved(call: ast.Call, context: Context) -> Iterator[Report]:
    """What a solver evaluates hundreds of times."""
    from scanlint.host.results.solver_evaluations import evaluated

    solver = ast.unparse(call.func)
    for found in evaluated(context.unit, call):
        if found.transform is not None:
            does = f"traces `{found.transform}` again and runs its operations one by one"
        else:
            does = f"runs about {found.operations} of JAX's operations one by one"
        yield context.report(
            found.given,
            f"each evaluation of {found.name} that `{solver}` asks for {does}: no jit is around it",
            label="outside of jit",
            help=f"hand `{solver}` a jitted function, made once, of all that it computes, derivatives included",
        )
