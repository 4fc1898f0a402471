"""wait-in-loop: a host loop that dispatches jitted work, and fetches a value of it from the device on each trip."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scanlint.finding import Report
from scanlint.rules.base import Context, Rule
from scanlint.rules.piecemeal_loops import waits_of

if TYPE_CHECKING:
    from scanlint.host.results.fetched_rows import FetchedRows
    from scanlint.host.results.waits import Wait, WaitingLoop

CURES = {
    "gathered": "keep the device values, and fetch all at once after the loop: `jax.device_get(...)`",
    "added": "add up on the device, and fetch the sum once after the loop",
    "logged": "fetch it every so many trips (`if step % 100 == 0:`), or keep the device values for after the loop",
    "decided": "choose on the device, with `jnp.where` or `jnp.minimum`, or ask every so many trips",
    "left": "ask every so many trips, or make the test the condition of a `lax.while_loop`",
}
SHOWN = 50


class WaitInLoop(Rule[ast.For | ast.While | ast.ListComp]):
    """Python could be trips ahead of the device; a fetch makes it wait until all that was dispatched is done."""

    code = "SCN601"
    name = "wait-in-loop"
    level = "advice"

    def check(self, node: ast.For | ast.While | ast.ListComp, context: Context) -> Iterator[Report]:
        if isinstance(node, ast.ListComp):
            yield from _elements(node, context)
            return
        found = waits_of(context, node)
        if found is None:
            yield from _rows(node, context)
            return
        from scanlint.host.results.training_waits import only_tells
        from scanlint.rewrite.lower.fetched_lists import fetched_after

        first = found.waits[0]
        yield context.report(
            first.at,
            f"each trip of this loop waits for `{found.step}`: {_said(first)} before the next one is dispatched",
            label=_others(found),
            help=CURES[first.purpose],
            outcome=fetched_after(context.unit, found),
            level="warning" if only_tells(context.unit, found) else None,
        )


def _rows(node: ast.For | ast.While, context: Context) -> Iterator[Report]:
    """What is said of a loop that goes over an array of JAX only to fetch it, the outermost one of several."""
    from scanlint.host.results.fetched_rows import fetched_rows

    around = [a for a in context.unit.ancestors(node) if isinstance(a, ast.For)]
    if context.traced(node) or any(fetched_rows(context.loop(a), context.settings) is not None for a in around):
        return
    found = fetched_rows(context.loop(node), context.settings)
    if found is None:
        return
    yield _piece_by_piece(node, "loop", found, context)


def _elements(node: ast.ListComp, context: Context) -> Iterator[Report]:
    """What is said of a comprehension that goes over an array of JAX and needs its numbers in Python."""
    from scanlint.host.results.fetched_rows import fetched_elements

    found = fetched_elements(context.unit, node) if not context.traced(node) else None
    if found is not None:
        yield _piece_by_piece(node, "comprehension", found, context)


def _piece_by_piece(
    node: ast.For | ast.While | ast.ListComp, what: str, found: FetchedRows, context: Context
) -> Report:
    array = context.unit.source.segment(found.array)
    report = context.report(
        node,
        f"this {what} fetches `{array}` from the device piece by piece: each piece is sliced, and waited for",
        end=node.iter if isinstance(node, ast.For) else None,
        label=f"fetched on line {found.at.lineno}",
        help=f"fetch it once before the {what}: `np.asarray({array})`",
    )
    return report._replace(outcome=None)  # no form of the loop is another one


def _said(wait: Wait) -> str:
    text, value = " ".join(ast.unparse(wait.at).split()), " ".join(ast.unparse(wait.value).split())
    if wait.purpose in ("decided", "left"):
        return f"`{text}` is asked" if len(text) <= SHOWN else "a value of the device is asked for"
    whole = len(text) <= SHOWN and not isinstance(wait.at, ast.FormattedValue)
    return f"`{text}` fetches" if whole else f"`{value}` is fetched" if len(value) <= SHOWN else "a value is fetched"


def _others(found: WaitingLoop) -> str:
    lines = list(dict.fromkeys(str(wait.at.lineno) for wait in found.waits[1:]))
    more = f", and on line{'s' if len(lines) > 1 else ''} {', '.join(lines)}" if lines else ""
    return f"fetched on each trip{more}"
