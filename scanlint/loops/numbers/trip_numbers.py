"""The numbers of the trip that each element of a batch is worked out of, and the arrays that these meet."""

from __future__ import annotations

import ast
from collections.abc import Callable

from scanlint.finding import Outcome, Rewrite
from scanlint.loops.numbers.body import Body
from scanlint.loops.numbers.meetings import Meeting
from scanlint.loops.numbers.tables import OWN, WEAK, Typed
from scanlint.loops.streams import Stream
from scanlint.syntax.bindings import Names, binds, reads, targets
from scanlint.trace.unit import Unit

SMALL = 256
"""Each float type holds the whole numbers up to this one."""


def departing_elements(unit: Unit, node: ast.ListComp) -> list[Meeting]:
    """The expressions of a comprehension that would give another value if its numbers were tracers."""
    return _alone(unit, node).departing()


def meets_arrays(unit: Unit, node: ast.For | ast.ListComp, streams: tuple[Stream, ...] = ()) -> bool:
    """Whether a number of the trip meets anything but indices: as an array of numbers it would not be as weak."""
    body = Body(unit, node, streams, ()) if isinstance(node, ast.For) else _alone(unit, node)
    return any(not meeting.index for meeting in body.meetings())


def met_dtype(unit: Unit, node: ast.For | ast.ListComp, streams: tuple[Stream, ...] = ()) -> str | None:
    """The dtype of the one array that all numbers of the trip meet: `xs.dtype` for `i * xs`; None where there is none.

    They are small whole numbers, which are of this dtype what Python's become beside the array.
    """
    body = Body(unit, node, streams, ()) if isinstance(node, ast.For) else _alone(unit, node)
    inner = {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
    bound = frozenset(inner) | _bound(node)
    found = {_met(unit, meeting, bound) for meeting in body.meetings()}
    return found.pop() if len(found) == 1 else None


def _bound(node: ast.For | ast.ListComp) -> Names:
    """The names that a loop binds, or a comprehension."""
    if isinstance(node, ast.For):
        return binds(node)
    return frozenset(name for one in node.generators for name in targets(one.target))


def _met(unit: Unit, meeting: Meeting, bound: Names) -> str | None:
    """The dtype, as source, of the array that a small whole number is added to, or multiplied by."""
    if meeting.index or meeting.strong or not meeting.number.whole or meeting.number.most > SMALL:
        return None
    match unit.parents.get(meeting.node):
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            base = right if left is meeting.node else left
        case _:
            return None
    while isinstance(base, ast.Subscript) and not _keyed(base):
        base = base.value
    value = unit.value(base)
    array = (value.array or value.traced) and value.container is None
    named = isinstance(base, ast.Name | ast.Attribute) and not reads(base) & bound
    return f"{ast.unparse(base)}.dtype" if array and named else None


def _keyed(node: ast.Subscript) -> bool:
    """Whether the expression reads an entry of a dict, which has a dtype of its own."""
    return isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)


def strong_elements(unit: Unit, node: ast.ListComp) -> list[Meeting]:
    """The expressions of a comprehension that would get a strong dtype if its numbers were tracers."""
    return [meeting for meeting in _alone(unit, node).meetings() if meeting.strong]


def _alone(unit: Unit, node: ast.ListComp) -> Body:
    """A comprehension as the only statement of a loop."""
    statement = ast.copy_location(ast.Expr(node), node)
    return Body(unit, ast.While(ast.Constant(True), [statement], []), (), ())


def in_each_type(
    unit: Unit, node: ast.For | ast.ListComp, streams: tuple[Stream, ...], made: Callable[[Typed], Outcome]
) -> list[Outcome]:
    """A rewrite in which the numbers of the trip are an array, and its plainer forms with arrays of other types."""
    first = made(OWN)
    if not isinstance(first, Rewrite) or not meets_arrays(unit, node, streams):
        return [first]
    met = met_dtype(unit, node, streams)
    weak = made(WEAK)
    last = weak._replace(weak=True) if isinstance(weak, Rewrite) else weak
    return [first, *([made(Typed(met))] if met is not None else []), last]
