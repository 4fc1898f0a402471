"""growing-array: an array of JAX that a host loop makes longer on each trip."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.loop_messages import times

if TYPE_CHECKING:
    from scanlint.host.results.lengthened_arrays import Growth
    from scanlint.loops.loop import LoopModel


class GrowingArray(Rule[ast.For | ast.While]):
    """JAX compiles a program for each shape: one for each trip, and each copies all that was collected before."""

    code = "SCN410"
    name = "growing-array"
    level = "advice"

    def check(self, node: ast.For | ast.While, context: Context) -> Iterator[Report]:
        from scanlint.host.results.lengthened_arrays import growing

        found = growing(context.loop(node), context.settings)
        if found is None:
            return
        if context.traced(node):
            if not context.worth_a_word(context.loop(node)) and _hinders(context.loop(node)):
                yield context.report(
                    found.call,
                    f"`{found.name}` is longer on each trip of this loop: tracing "
                    f"`{context.unit.context(node).qualname}` unrolls it {times(context.loop(node))}, "
                    "with operations of another shape each time",
                    end=found.call.func,
                    label="another shape each time",
                    help=f"let a `lax.scan` stack {_added(found)}, or fill an array of the full size",
                    trips=context.loop(node).trips,
                )
            return
        function = ast.unparse(found.call.func)
        yield context.report(
            found.call,
            f"`{found.name}` is longer on each trip of this loop: {_compiled(found, function)} for each length",
            end=found.call.func,
            label="another shape each time",
            help=f"{_kept(found, function)}, and make one array of the list after the loop",
        )


def _hinders(model: LoopModel) -> bool:
    """The growth is what keeps a loop from being rolled; the rules for loops tell of those that they know."""
    return bool(model.streams) and any(o.code == "carry-shape-grows" for o in model.obstacles)


def _added(found: Growth) -> str:
    return ", ".join(f"`{' '.join(ast.unparse(part).split())}`" for part in found.added) or "what is appended"


def _compiled(found: Growth, function: str) -> str:
    if found.compiled:
        return f"the jitted `{function}` is traced and compiled again"
    return f"what `{function}` does with it is compiled again" if found.inside else f"`{function}` is compiled again"


def _kept(found: Growth, function: str) -> str:
    if found.inside:
        return f"let `{function}` return what it appends, put that into a Python list"
    return f"append {_added(found)} to a Python list"
