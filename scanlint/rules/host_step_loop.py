"""host-step-loop: a host loop that threads state through a jitted step, one dispatch per trip."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import one_program, quoted
from scanlint.rules.piecemeal_loops import advice
from scanlint.rules.unbatched_loop import filled


class HostStepLoop(Rule[ast.For | ast.While]):
    """Advice: rolled into one program, the loop can no longer log or stop between steps."""

    code = "SCN107"
    name = "host-step-loop"
    level = "advice"

    def check(self, node: ast.For | ast.While, context: Context) -> Iterator[Report]:
        from scanlint.host.threaded_state import has_jax

        if context.traced(node) or not has_jax(context.unit):
            return
        from scanlint.host.dispatches import reckoned
        from scanlint.host.step_loop import host_loop

        found = host_loop(context.loop(node), context.settings)
        if found is None or not filled(context.loop(node)).carried:  # what carries nothing is unbatched-loop's
            yield from advice(context, node, jitted=True)
            return
        model = found.model
        lists = [o.name for o in model.outputs]
        collected = f", which stacks {quoted(lists)}" if lists else ""
        primitive = one_program(model)
        from scanlint.rewrite.lower.loops.host_loops import to_one_program

        yield context.report(
            node,
            f"this loop dispatches the jitted `{found.step}` once per trip",
            end=node.iter if isinstance(node, ast.For) else node.test,
            label=f"{quoted(found.state)} goes through the host between steps",
            help=f"carry {quoted(model.carried)} through one `lax.{primitive}` of the step{collected}",
            trips=model.trips,
            primitive=primitive,
            outcome=to_one_program(model, found.remarks),
            weight=reckoned(model),
        )
