"""host-step-loop: a host loop that threads state through a jitted step, one dispatch per trip."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.analysis.callables import Transformed
from scanlint.analysis.flow import targets
from scanlint.analysis.loops import LoopModel
from scanlint.rules.base import Context, Report, Rule
from scanlint.rules.loop_words import quoted

JITS = frozenset({"jax.jit", "jax.pmap", "equinox.filter_jit", "flax.nnx.jit"})


class HostStepLoop(Rule):
    """Off by default: rolled into one program, the loop can no longer log or stop between steps."""

    code = "SCN107"
    name = "host-step-loop"
    default = False
    nodes = (ast.For,)

    def check(self, node: ast.AST, context: Context) -> Iterator[Report]:
        assert isinstance(node, ast.For)
        if context.traced(node):
            return
        model = context.loop(node)
        short = model.trips is not None and model.trips <= context.settings.max_unrolled_trips
        if not model.streams or short:
            return
        step = _jitted_step(model)
        if step is None:
            return
        collected = f", which stacks {quoted([o.name for o in model.outputs])}" if model.outputs else ""
        yield context.report_loop(
            model,
            f"this loop dispatches the jitted `{step}` once per trip",
            label=f"{quoted(model.carried)} goes through the host between steps",
            help=f"carry {quoted(model.carried)} through one `lax.scan` of the step{collected}",
            primitive="scan",
        )


def _jitted_step(model: LoopModel) -> str | None:
    """The jitted function whose result is carried to the next trip."""
    unit = model.unit
    for statement in model.node.body:
        match statement:
            case ast.Assign(targets=[bound], value=ast.Call(func=function)) if set(targets(bound)) & set(model.carried):
                callee = unit.value(function).callee
                if isinstance(callee, Transformed) and callee.transform in JITS:
                    return ast.unparse(function)
    return None
