"""Calls of libraries that run a function under a trace of their own: ODE terms, optimisers, samplers."""

from __future__ import annotations

import ast

from scanlint.jaxapi.solvers import Solver
from scanlint.syntax.bindings import argument_of
from scanlint.trace.calls.arguments import argument
from scanlint.trace.calls.callbacks import want
from scanlint.trace.calls.transforms import as_function, below, filled, functions_in, given
from scanlint.trace.domain.evidence import Reason, short
from scanlint.trace.domain.values import UNKNOWN, Kind, Value
from scanlint.trace.evaluator import Evaluator


def solver(self: Evaluator, solver: Solver, node: ast.Call, args: list[Value], keywords: dict[str, Value]) -> Value:
    """Run the functions among the arguments as the library will; of what it gives only JAX's own is known."""
    for slot in solver.slots:
        function = as_function(self, argument(args, keywords, slot.place, slot.name))
        closures = functions_in(function)
        written = argument_of(node, slot.place, slot.name)
        if not closures and written is not None:
            want(self, written)
        mode = below(self, solver.name, closures, node, traced=True)
        for closure in closures:
            names = filled(closure, function)
            skip = given(closure, function)
            if slot.tracers is not None:
                skip |= {a.arg for a in closure.code.parameters()}.difference(names[: slot.tracers])
            self.world.root(closure, solver.name, mode, skip, frozenset(), None)
    if solver.name.startswith("jax."):
        return self.made(node, operands=(*args, *keywords.values()))
    return UNKNOWN


def draw(self: Evaluator, node: ast.Call) -> Value:
    """`numpyro.sample(name, distribution)` in a model: a tracer under a sampler, unless it may be observed."""
    match argument_of(node, 2, "obs"):
        case None | ast.Constant(value=None) if self.traced:
            pass
        case _:
            return UNKNOWN
    why = Reason(f"`{short(node)}` is drawn under a trace", self.frame.code.scope, node)
    return Value(Kind.TRACED, True, why=why)
