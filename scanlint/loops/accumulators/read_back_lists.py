"""Lists whose last elements each trip reads before it appends the next one: `ys.append(f(ys[-1]))`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from scanlint.dataflow.liveness import Flow
from scanlint.loops.accumulators.collected_lists import appends
from scanlint.loops.accumulators.list_buffers import added, initial_list
from scanlint.syntax.bindings import binds, reads
from scanlint.trace.unit import Unit

LONGEST = 12
CHOICES = ("jax.lax.cond", "jax.lax.switch")
MADE = frozenset(f"jax.numpy.{name}{end}" for name in ("zeros", "ones", "full") for end in ("", "_like"))


class ReadBack(NamedTuple):
    """The list, its last elements before the loop, the places that read one, and what appends the next one.

    `lasts` begins with the very last one; `lags` says for each place which of them it reads, 1 for that one. `kept` is
    the name that has the last element, bound on each trip just before it is appended; None where there is none that
    could be carried in its place. `named` is the statement before the loop whose one element had better get a name of
    its own than be evaluated twice.
    """

    name: str
    lasts: tuple[ast.expr, ...]
    places: tuple[ast.Subscript, ...]
    lags: tuple[int, ...]
    append: ast.stmt
    element: ast.expr
    kept: str | None
    named: ast.Assign | None


def read_back(unit: Unit, node: ast.For | ast.While, flow: Flow) -> Iterator[ReadBack]:
    """The lists of a loop of which nothing else is read in it."""
    for name, statement, element in appends(node):
        made = initial_list(unit, node, name)
        if made is None or not made[1] or statement not in node.body:
            continue
        end = node.end_lineno or node.lineno
        inside = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == name and n.lineno <= end]
        own = {n for n in ast.walk(statement) if n not in set(ast.walk(element))}
        places = [unit.parents[n] for n in inside if n not in own]
        before = {n for s in node.body[: node.body.index(statement)] for n in ast.walk(s)} | set(ast.walk(element))
        lags = {p: _lag(unit, p, node, made[1]) for p in places if isinstance(p, ast.Subscript) and p in before}
        found = {p: lag for p, lag in lags.items() if lag is not None and 0 < lag <= len(made[1])}
        if not found or len(found) != len(places) or _inner(unit, node, found) or _front(statement):
            continue
        lasts = made[1][: -1 - max(found.values()) : -1]
        named = _named(made[0], made[1])
        if named is None and not all(_cheap(unit, last) for last in lasts):
            continue
        kept = kept_in(node, flow, element, found) if len(lasts) == 1 else None
        yield ReadBack(name, lasts, tuple(found), tuple(found.values()), statement, element, kept, named)


def _named(initial: ast.stmt, elements: tuple[ast.expr, ...]) -> ast.Assign | None:
    """`ys = [f(x)]`, which may become `y = f(x)` and `ys = [y]`."""
    match initial:
        case ast.Assign(targets=[ast.Name()]) if len(elements) == 1 and not plain(elements[0]):
            return initial
    return None


def plain(element: ast.expr) -> bool:
    """Whether an expression may be written twice: a name, a number, an attribute, one element of an array."""
    match element:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=value):
            return plain(value)
        case ast.Subscript(value=value, slice=ast.Constant() | ast.Name()):
            return plain(value)
    return False


def _cheap(unit: Unit, element: ast.expr) -> bool:
    """Whether an expression may as well be evaluated twice."""
    parts = [n for n in ast.walk(element) if isinstance(n, ast.expr)]
    calls = [n for n in parts if isinstance(n, ast.Call)]
    return len(parts) <= LONGEST and all(unit.resolve(call.func) in MADE for call in calls)


def _front(statement: ast.stmt) -> bool:
    """Whether the last element stays the first that there was: each other one goes before it."""
    found = added(statement)
    return found is not None and found.front


def _inner(unit: Unit, node: ast.AST, places: Iterable[ast.Subscript]) -> bool:
    """Whether a function of the body reads one of these places, who knows when; an arm of a `cond` does at once."""
    around = [a for place in places for a in _within(unit, place, node)]
    arms = {
        a for call in around if isinstance(call, ast.Call) and unit.resolve(call.func) in CHOICES for a in call.args
    }
    return any(isinstance(a, ast.FunctionDef | ast.Lambda) and a not in arms for a in around)


def _within(unit: Unit, place: ast.AST, node: ast.AST) -> Iterator[ast.AST]:
    for ancestor in unit.ancestors(place):
        if ancestor is node:
            return
        yield ancestor


def _lag(unit: Unit, place: ast.Subscript, node: ast.For | ast.While, first: tuple[ast.expr, ...]) -> int | None:
    """Which element counted from the end is read: 1 by `ys[-1]`, or `ys[i - 1]` where `i` are there on trip `i`."""
    if not isinstance(place.ctx, ast.Load):
        return None
    match place.slice, node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(back))), _:
            return back
        case index, ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[*bounds])):
            start = 0 if len(bounds) == 1 else unit.value(bounds[0]).constant if len(bounds) == 2 else None
            offset = _offset(index, name)
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


def kept_in(node: ast.For | ast.While, flow: Flow, element: ast.expr, places: Collection[ast.Subscript]) -> str | None:
    """The name that is appended, if it is bound once, after all that reads the element before."""
    if not isinstance(element, ast.Name) or element.id in flow.bound_before[node] | flow.live_after[node]:
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
