"""Lists of whose elements a trip reads only the last ones: these go from trip to trip."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from scanlint.dataflow.liveness import Flow
from scanlint.loops.rows.lists import Added, ListRow, deferred, home, list_rows
from scanlint.syntax.bindings import binds, reads
from scanlint.trace.unit import Unit

LONGEST = 12
MOST = 3
"""Elements that may be read of a list that is nothing but a variable."""
CHOICES = ("jax.lax.cond", "jax.lax.switch")
MADE = frozenset(f"jax.numpy.{name}{end}" for name in ("zeros", "ones", "full") for end in ("", "_like"))


class Recent(NamedTuple):
    """The list, its last elements before the loop, the very last one first, and what adds the next one.

    `places` are those that read one of them, each with its distance from the end: 1 for the very last. `only`: nobody
    reads more of the list, which is a variable then. `kept` is a name that has the last element, bound on each trip
    just before it is appended, if it may be carried. `named` is the statement before the loop whose one element had
    better get a name of its own than be evaluated twice.
    """

    name: str
    made: ast.stmt
    lasts: tuple[ast.expr, ...]
    places: Mapping[ast.Subscript, int]
    writes: tuple[Added, ...]
    only: bool
    kept: str | None = None
    named: ast.Assign | None = None

    @property
    def append(self) -> ast.stmt:
        """The statement that adds an element, of which a list that is kept has one."""
        return self.writes[0].statement


def variable(unit: Unit, node: ast.For | ast.While, flow: Flow) -> Recent | None:
    """The first list that a loop fills, of which its function reads `ys[-1]`, maybe `ys[-2]`, and nothing else.

    It has as many elements before the loop, and only this loop appends to it, on whatever trips.
    """
    return next(filter(None, (_variable(unit, node, flow, row) for row in list_rows(unit, node))), None)


def _variable(unit: Unit, node: ast.For | ast.While, flow: Flow, row: ListRow) -> Recent | None:
    own, lags = home(unit, node), dict[ast.Subscript, int]()
    for use in (*row.inside, *row.outside):
        place = unit.parents[use]
        if not isinstance(place, ast.Subscript) or (lag := _from_end(place)) is None or deferred(unit, place, own):
            return None
        lags[place] = lag
    depth = max(lags.values(), default=0)
    lasts = row.first[: -1 - depth : -1]
    alone = isinstance(row.made, ast.Assign) and isinstance(row.made.targets[0], ast.Name)
    plain = alone and not any(w.front for w in row.writes) and not any(isinstance(e, ast.Starred) for e in row.first)
    if not lags or not plain or len(lasts) < depth or depth > MOST:
        return None
    kept = None
    write, body = row.writes[0], node.body
    said = "#" in unit.source.lines[write.statement.lineno - 1]  # its words would be lost with it
    if len(row.writes) == depth == 1 and write.statement in body[1:] and not said:
        inside = {unit.parents[n] for n in row.inside}
        kept = _kept_in(node, flow, write.element, [p for p in lags if p in inside])
    return Recent(row.name, row.made, lasts, lags, row.writes, True, kept)


def read_back(unit: Unit, node: ast.For | ast.While, flow: Flow) -> Iterator[Recent]:
    """The lists that get an element on every trip, of which the loop reads nothing but the last ones before that."""
    for row in list_rows(unit, node):
        write = row.writes[0]
        if len(row.writes) > 1 or write.statement not in node.body or write.front or not row.first:
            continue
        before = {n for s in node.body[: node.body.index(write.statement)] for n in ast.walk(s)}
        before |= set(ast.walk(write.element))
        places = [unit.parents[n] for n in row.inside]
        lags = {p: _lag(unit, p, node, row.first) for p in places if isinstance(p, ast.Subscript) and p in before}
        found = {p: lag for p, lag in lags.items() if lag is not None and 0 < lag <= len(row.first)}
        if not found or len(found) != len(places) or _inner(unit, node, found):
            continue
        lasts = row.first[: -1 - max(found.values()) : -1]
        named = _named(row.made, row.first)
        if named is None and not all(_cheap(unit, last) for last in lasts):
            continue
        kept = _kept_in(node, flow, write.element, found) if len(lasts) == 1 else None
        yield Recent(row.name, row.made, lasts, found, row.writes, False, kept, named)


def _named(initial: ast.stmt, elements: tuple[ast.expr, ...]) -> ast.Assign | None:
    """`ys = [f(x)]`, which may become `y = f(x)` and `ys = [y]`."""
    match initial:
        case ast.Assign(targets=[ast.Name()]) if len(elements) == 1 and not _plain(elements[0]):
            return initial
    return None


def _plain(element: ast.expr) -> bool:
    """An expression that may be written twice: a name, a number, an attribute, one element of an array."""
    match element:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value) | ast.Subscript(value=value, slice=ast.Constant() | ast.Name()):
            return _plain(value)
    return False


def _cheap(unit: Unit, element: ast.expr) -> bool:
    """An expression that may as well be evaluated twice."""
    parts = [n for n in ast.walk(element) if isinstance(n, ast.expr)]
    calls = [n for n in parts if isinstance(n, ast.Call)]
    return len(parts) <= LONGEST and all(unit.resolve(call.func) in MADE for call in calls)


def _inner(unit: Unit, node: ast.AST, places: Iterable[ast.Subscript]) -> bool:
    """A function of the body reads one of these places, who knows when; an arm of a `cond` does at once."""
    for place in places:
        outer: ast.AST = place
        for around in unit.ancestors(place):
            if around is node:
                break
            if isinstance(outer, ast.FunctionDef | ast.Lambda):
                called = isinstance(around, ast.Call) and outer in around.args
                if not (called and isinstance(around, ast.Call) and unit.resolve(around.func) in CHOICES):
                    return True
            outer = around
        if isinstance(outer, ast.FunctionDef):
            return True
    return False


def _from_end(place: ast.Subscript) -> int | None:
    match place:
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(lag))), ctx=ast.Load()):
            return lag or None
    return None


def _lag(unit: Unit, place: ast.Subscript, node: ast.For | ast.While, first: tuple[ast.expr, ...]) -> int | None:
    """Which element counted from the end is read: 1 by `ys[-1]`, or `ys[i - 1]` where `i` are there on trip `i`."""
    if not isinstance(place.ctx, ast.Load) or _from_end(place) is not None:
        return _from_end(place)
    match node:
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[*bounds])):
            start = 0 if len(bounds) == 1 else unit.value(bounds[0]).constant if len(bounds) == 2 else None
            offset = _offset(place.slice, name)
            if isinstance(start, int) and offset is not None:
                return len(first) - start - offset
    return None


def _offset(index: ast.expr, name: str) -> int | None:
    """What is added to the loop variable."""
    match index:
        case ast.Name(id=own) if own == name:
            return 0
        case ast.BinOp(left=ast.Name(id=own), op=op, right=ast.Constant(value=int(by))) if own == name:
            return by if isinstance(op, ast.Add) else -by if isinstance(op, ast.Sub) else None
    return None


def _kept_in(node: ast.For | ast.While, flow: Flow, element: ast.expr, places: Collection[ast.Subscript]) -> str | None:
    """The name that is appended, if it is bound once, after all that reads the element before."""
    if not isinstance(element, ast.Name) or element.id in flow.bound_before(node) | flow.live_after(node):
        return None
    name = element.id
    for at, statement in enumerate(node.body):
        if name in binds(statement):
            plain = isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
            later = node.body[at + 1 :]
            read = {n for s in later for n in ast.walk(s)}
            clean = name not in binds(*later) and not any(p in read for p in places)
            return name if plain and clean and name not in reads(*node.body[: at + 1]) else None
    return None
