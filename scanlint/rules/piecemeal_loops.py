"""Advice on host loops that run JAX piecemeal: what would be one program, what stands in the way, what to do first."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scanlint.finding import Report
from scanlint.rules.base import Context
from scanlint.rules.loop_messages import one_program, quoted

if TYPE_CHECKING:
    from scanlint.host.piecemeal import Piecemeal
    from scanlint.host.results.waits import WaitingLoop

MOST = 4
"""Names that are told."""
CURES = {
    "side-effect": "let the step return what that needs, run the trips in between as one program, and do it after each",
    "occasional-print": "run the trips between two prints as one program, and print after each",
    "host-work": "let the step return what that needs, run the trips in between as one program, and do it after each",
    "context-manager": "let the step return what that needs, run the trips in between as one program, do it after each",
    "waits-to-decide": "choose in the step, with `jnp.where` or `lax.cond`",
    "mutation": "keep the state in local names, let the program stack what is stored, and store both after the loop",
    "raises": "let the program return whether all is well (a flag, or NaN), and raise after the loop",
    "assert": "let the program return whether all is well, and check that after the loop",
    "host-check": "let the program return whether all is well, and check that after the loop",
    "break": "make the test the condition of a `lax.while_loop`: as it is, each trip waits for the device",
    "return-in-loop": "make the test the condition of a `lax.while_loop`: as it is, each trip waits for the device",
    "fetched": "stack the values in the program, and fetch them once after the loop",
    "list-made-elsewhere": "let the program stack what is appended",
    "conditional-append": "let the program stack what is appended, and pick what is wanted after it",
    "list-never-stacked": "let the program stack what is appended",
    "list-used-otherwise": "let the program stack what is appended",
    "list-escapes": "let the program stack what is appended",
    "progress-bar": "update the bar once for a number of trips, which are one program",
    "index-needs-int": "make that an array: where it is static, each other value is another program to compile",
    "maybe-undefined": "give it a value before the loop",
    "carry-not-an-array": "let it start as an array of the type that it gets",
}
"""What to do first about what keeps a host loop from being one program."""


def advice(context: Context, node: ast.For | ast.While, *, jitted: bool) -> Iterator[Report]:
    """What is said of a loop that does other things beside a jitted step, or beside operations that run one by one."""
    from scanlint.host.dispatches import reckoned

    found = _piecemeal(context, node)
    if found is None or (found.step is not None) != jitted or (jitted and waits_of(context, node) is not None):
        return
    first = found.hindered[0]
    program = one_program(found.model)
    often = f"each trip of `{context.unit.source.segment(node.iter)}`" if isinstance(node, ast.For) else "each trip"
    what = f"dispatches the jitted `{found.step}`" if jitted else f"runs about {found.operations} of JAX's operations"
    cure = CURES.get(first.code, "take that out of the loop")
    whole = f"a `lax.{program}` of the step is one program; first {cure}"
    piece = f"jit what a trip computes: it is one dispatch then; for a `lax.{program}` of it, {cure}"
    report = context.report(
        node,
        f"this loop {what} on {often}",
        end=node.iter if isinstance(node, ast.For) else node.test,
        label=f"{_listed(found.state)} through the host between trips",
        help=whole if jitted else piece,
        trips=found.model.trips,
        primitive=program,
        outcome=first,
        weight=reckoned(found.model),
    )
    yield report._replace(outcome=None)  # no form of the loop is another one


def speaks(context: Context, node: ast.For | ast.While) -> bool:
    """Whether host-step-loop or eager-step-loop say something of a loop on the host."""
    return is_whole(context, node) or _piecemeal(context, node) is not None


def waits_of(context: Context, node: ast.For | ast.While) -> WaitingLoop | None:
    """The fetches of each trip of a loop, where they are what is to be said of it.

    A loop that can be one program, one that runs operations one by one and one that only decides by what it fetches
    are told of that instead.
    """
    from scanlint.host.threaded_state import has_jax

    if not context.settings.runs("SCN601", "wait-in-loop") or context.traced(node) or not has_jax(context.unit):
        return None
    from scanlint.host.results.waits import waiting_loop

    found = waiting_loop(context.loop(node), context.settings)
    if found is None or is_whole(context, node):
        return None
    other = _piecemeal(context, node)
    return None if other is not None and (other.step is None or found.decides) else found


def _listed(names: Sequence[str]) -> str:
    """`a` goes, `a` and `b` go, or the first of many."""
    if len(names) > MOST:
        return f"{', '.join(f'`{name}`' for name in names[:MOST])} and {len(names) - MOST} more go"
    return f"{quoted(names)} {'goes' if len(names) == 1 else 'go'}"


def _piecemeal(context: Context, node: ast.For | ast.While) -> Piecemeal | None:
    """The loop, if it is such a one and nothing else is said of it or of one around it; worked out once."""
    return None if context.traced(node) else context.unit.once((_piecemeal, node), lambda: _in_pieces(context, node))


def _in_pieces(context: Context, node: ast.For | ast.While) -> Piecemeal | None:
    from scanlint.host.piecemeal import piecemeal

    made = piecemeal(context.loop(node), context.settings)
    around = [a for a in context.unit.ancestors(node) if isinstance(a, ast.For | ast.While)]
    return None if made is not None and any(is_whole(context, loop) for loop in (node, *around)) else made


def is_whole(context: Context, node: ast.For | ast.While) -> bool:
    """Whether a loop does JAX's work alone."""
    from scanlint.host.eager_loop import eager_loop
    from scanlint.host.step_loop import host_loop

    model = context.loop(node)
    return host_loop(model, context.settings) is not None or eager_loop(model, context.settings) is not None
