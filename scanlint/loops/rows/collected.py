"""Lists that a loop fills with one element per trip and that are only stacked afterwards."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.finding import Withheld
from scanlint.loops.rows.filled import Fill, counting, fills, made_full, places_of
from scanlint.loops.rows.lists import Added, added, beside_element, initial_list, inner_list, mentions
from scanlint.loops.rows.stacking import collected, composite, from_end, gathers, stacked, unzipped
from scanlint.loops.streams import streams_of
from scanlint.syntax.bindings import walk_scope
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit


class Output(NamedTuple):
    """One collected list, or an array that is filled row by row.

    `initial` is the statement that makes it (`ys = []`), `first` its elements before the loop, `append` the
    statement that adds `element`, `uses` the places that read a list after the loop, `turned` the statement there that
    turns it round. `falling`: its places, or the rows of an array, are set from the last one to the first. `grouped`:
    the element is a tuple or list of values, and all that becomes of the collected list is an array. `numpy`: what the
    code after the loop has is an array of NumPy, `dtype` what its numbers are cast to, as source. `axis`: of an array
    that is filled, the one along which it is.
    """

    name: str
    initial: ast.stmt
    first: tuple[ast.expr, ...]
    append: ast.stmt
    element: ast.expr
    uses: tuple[ast.Name, ...]
    falling: bool = False
    turned: ast.stmt | None = None
    grouped: bool = False
    numpy: bool = False
    dtype: str | None = None
    axis: int = 0

    @property
    def front(self) -> bool:
        """Each element goes before the others: `ys.insert(0, y)`."""
        found = added(self.append)
        return self.falling or (found is not None and found.front)


class _Begun(NamedTuple):
    """The statement that makes a list, its elements before the loop, and whether it is filled from its end."""

    initial: ast.stmt
    first: tuple[ast.expr, ...] = ()
    falling: bool = False


def find_outputs(unit: Unit, node: ast.For | ast.While) -> tuple[tuple[Output, ...], list[Withheld]]:
    """The outputs of a loop, and what keeps other lists that it appends to from being outputs."""
    found = [_output(unit, node, one) for one in appends(unit, node)]
    return tuple(o for o in found if isinstance(o, Output)), [o for o in found if isinstance(o, Withheld)]


def appends(unit: Unit, node: ast.For | ast.While) -> Iterator[Added | Fill]:
    """What statements anywhere in the body put at an end of a named list, or in a place of its own."""
    for statement in walk_scope(node.body):
        if isinstance(statement, ast.stmt) and (found := added(statement)) is not None:
            yield found
    yield from fills(unit, node)


def _output(unit: Unit, node: ast.For | ast.While, one: Added | Fill) -> Output | Withheld | None:
    name, statement, element, line = one.name, one.statement, one.element, one.statement.lineno
    if statement not in node.body:
        if inner_list(unit, node, name, statement):
            return None
        return Withheld("conditional-append", f"`{name}` is not appended to on every trip (line {line})")
    begun = _begun(unit, node, one)
    if not isinstance(begun, _Begun):
        return begun
    turned, front = _turned(unit, node, name), begun.falling or (isinstance(one, Added) and one.front)
    own = mentions(unit, node, name, begun.initial, statement, *([turned] if turned is not None else []))
    order = defuse_of(unit)
    grouped = not begun.first and gathers(unit, [n for n in own if order.after(n, node)], element)
    tree = composite(unit, element) and not grouped
    if tree and begun.first:
        return Withheld("list-escapes", f"`{name}` holds tuples or dicts, one of them from before (line {line})")
    if front and (tree or turned is not None):
        return Withheld("list-used-otherwise", f"`{name}` is filled from its front (line {line})")
    known = {*walk(begun.initial), *beside_element(statement, element), *(walk(turned) if turned is not None else ())}
    uses = [n for n in own if n not in known]
    for use in uses:
        if not order.after(use, node) or not isinstance(use.ctx, ast.Load):
            return Withheld("list-used-otherwise", f"`{name}` is also used at line {use.lineno}")
        if tree and collected(unit, use, element) is None and unzipped(unit, use, element) is None:
            return Withheld("list-escapes", f"`{name}` holds tuples or dicts, and is used at line {use.lineno}")
        if not tree and not stacked(unit, use):
            return Withheld("list-escapes", f"`{name}` is used as a list at line {use.lineno}")
    if _function(unit, element):
        return Withheld("list-of-functions", f"`{name}` holds functions, which no array can (line {line})")
    if not uses:
        return Withheld("list-never-stacked", f"`{name}` is never made into an array (line {line})")
    return Output(name, begun.initial, begun.first, statement, element, tuple(uses), begun.falling, turned, grouped)


def _begun(unit: Unit, node: ast.For | ast.While, one: Added | Fill) -> _Begun | Withheld | None:
    """How a list begins; nothing of one with places that is not just filled."""
    if isinstance(one, Added):
        made = initial_list(unit, node, one.name)
        where = f"`{one.name}` is not made just before the loop (line {one.statement.lineno})"
        return _Begun(*made) if made is not None else Withheld("list-made-elsewhere", where)
    streams = tuple(streams_of(unit, node.target, node.iter)) if isinstance(node, ast.For) else ()
    stream = counting(unit, node, streams)
    filled = made_full(unit, node, streams, stream, one.name) if stream is not None else None
    if filled is None or stream is None or places_of(unit, filled.value) is None:
        return None
    return _Begun(filled, falling=not stream.plain and stream.counted is None)


def _turned(unit: Unit, node: ast.stmt, name: str) -> ast.stmt | None:
    """`ys.reverse()` or `ys = ys[::-1]` in the block of the loop, before anything else there speaks of the list."""
    block = unit.block(node)
    for statement in block[block.index(node) + 1 :]:
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=turned), attr="reverse"), args=[])):
                if turned == name:
                    return statement
            case ast.Assign(targets=[ast.Name(id=turned)], value=value) if turned == name:
                return statement if from_end(value) == name else None
        if any(isinstance(n, ast.Name) and n.id == name for n in walk(statement)):
            return None
    return None


def _function(unit: Unit, element: ast.expr) -> bool:
    value = unit.value(element)
    return isinstance(element, ast.Lambda) or (value.callee is not None and value.container is None)
