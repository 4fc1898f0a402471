"""eager-step-loop: a host loop that runs JAX's operations on a state one by one, hundreds of dispatches in all."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Outcome, Primitive, Report, Rewrite
from scanlint.loops.jumps import JUMPS
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import one_program, quoted
from scanlint.rules.piecemeal_loops import advice, speaks
from scanlint.rules.unbatched_loop import filled

if TYPE_CHECKING:
    from scanlint.host.eager_loop import EagerLoop
    from scanlint.loops.loop import LoopModel


class EagerStepLoop(Rule[ast.For | ast.While]):
    """Advice: what a program of the loop would save is reckoned, not measured."""

    code = "SCN108"
    name = "eager-step-loop"
    level = "advice"

    def check(self, node: ast.For | ast.While, context: Context) -> Iterator[Report]:
        found = _eager(node, context)
        if found is None:
            told = list(advice(context, node, jitted=False))
            yield from told or _loose(context, node)
        if found is None or _inside_another(node, context):
            return
        from scanlint.host.dispatches import reckoned
        from scanlint.rewrite.lower.loops.host_loops import to_one_program

        outcome = to_one_program(found.model, found.remarks)
        primitive = outcome.primitive if isinstance(outcome, Rewrite) else one_program(found.model)
        yield context.report(
            node,
            f"this loop runs about {found.operations} of JAX's operations on {quoted(found.state)} one by one",
            end=node.iter if isinstance(node, ast.For) else node.test,
            label="each trip dispatches them from Python",
            help=_help(found, primitive, outcome),
            trips=found.model.trips,
            primitive=primitive,
            outcome=outcome,
            weight=reckoned(found.model),
        )


def _loose(context: Context, node: ast.For | ast.While) -> Iterator[Report]:
    """What a loop runs outside of jit, where neither this rule nor host-step-loop speaks of a state."""
    from scanlint.host.results.loose_work import loose_work
    from scanlint.host.threaded_state import has_jax

    if context.traced(node) or not has_jax(context.unit) or speaks(context, node):
        return
    found = loose_work(context.loop(node), context.settings)
    if found is None:
        return
    from scanlint.host.dispatches import reckoned

    name = ast.unparse(found.call.func)
    what = f"applies `{name}` outside of jit" if found.model else "works outside of jit"
    yield context.report(
        found.call,
        f"each trip of this loop {what}: it runs about {found.operations} of JAX's operations one by one",
        end=found.call.func,
        label="Python dispatches them on each trip" if found.model else "most of them are dispatched here",
        help=f"jit {f'`{name}`' if found.model else 'what a trip computes, as one function'}: it is one dispatch then",
        trips=context.loop(node).trips,
        weight=reckoned(context.loop(node)),
    )


def _eager(node: ast.For | ast.While, context: Context) -> EagerLoop | None:
    """The loop, if it is such a one; worked out once, for the loops inside it ask too."""
    from scanlint.host.threaded_state import has_jax

    if context.traced(node) or not has_jax(context.unit):
        return None
    return context.unit.once((_eager, node), lambda: _eager_alone(node, context))


def _eager_alone(node: ast.For | ast.While, context: Context) -> EagerLoop | None:
    from scanlint.host.eager_loop import eager_loop
    from scanlint.host.step_loop import host_loop

    model = context.loop(node)
    made = eager_loop(model, context.settings)
    if made is not None and (_is_batch(model) or host_loop(model, context.settings) is not None):
        return None  # unbatched-loop's, or host-step-loop's
    return made


def _is_batch(model: LoopModel) -> bool:
    """No trip of a loop needs what another one made, and none is the last before its time."""
    if not isinstance(model.node, ast.For) or any(o.code in JUMPS for o in model.obstacles):
        return False
    return not filled(model).carried


def _inside_another(node: ast.For | ast.While, context: Context) -> bool:
    """Whether a loop around this one is reported: both are one program then."""
    loops = (a for a in context.unit.around(node) if isinstance(a, ast.For | ast.While))
    return any(_eager(loop, context) is not None for loop in loops)


def _help(found: EagerLoop, primitive: Primitive, outcome: Outcome) -> str:
    """One program of the loop, or, where it cannot be staged as it is, one of its body."""
    if any(o.code == "carry-shape-grows" for o in found.model.obstacles):
        return f"keep {quoted(found.state)} in a buffer of the full size: programs of each size would be compiled anew"
    if not isinstance(outcome, Rewrite):
        return f"jit the body, as a function of {quoted(found.state)}: each trip is one dispatch then"
    lists = [o.name for o in found.model.outputs]
    stacked = f", which stacks {quoted(lists)}" if lists else ""
    carrying = f"carry {quoted(found.model.carried)} through one `lax.{primitive}`{stacked}"
    return f"{carrying}, in a jitted function if it is called often, or jit the body"
