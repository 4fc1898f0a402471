"""host-step-loop: a host loop that threads state through JAX, one dispatch (or more) per trip."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Primitive
from scanlint.rules.base import Context, Rule
from scanlint.finding import Report
from scanlint.rules.loop_messages import quoted
from scanlint.rules.unbatched_loop import filled

if TYPE_CHECKING:
    from scanlint.host.step_loop import HostLoop


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
        from scanlint.host.step_loop import host_loop

        if not filled(context.loop(node)).carried:
            return  # no state goes through it: that is unbatched-loop's
        found = host_loop(context.loop(node), context.settings)
        if found is None:
            return
        model = found.model
        lists = [o.name for o in model.outputs]
        collected = f", which stacks {quoted(lists)}" if lists else ""
        rows = any(stream.kind == "rows" for stream in model.streams)
        primitive: Primitive = "scan" if lists or rows or model.last_values else "fori_loop"
        message, label = _said(found)
        from scanlint.rewrite.lower.loops.loop_passes import to_rolled_loop

        yield context.report(
            node,
            message,
            end=node.iter,
            label=label,
            help=f"carry {quoted(model.carried)} through one `lax.{primitive}` of the step{collected}",
            trips=model.trips,
            primitive=primitive,
            outcome=found.remarks[0] if found.remarks else to_rolled_loop(model),
        )


def _said(found: HostLoop) -> tuple[str, str]:
    """The message, and the label under the loop's line."""
    state = quoted(found.state)
    if found.step is not None:
        return (
            f"this loop dispatches the jitted `{found.step}` once per trip",
            f"{state} goes through the host between steps",
        )
    return (
        f"this loop runs JAX's operations on {state} one by one",
        "each trip dispatches them from Python, or traces them again",
    )
