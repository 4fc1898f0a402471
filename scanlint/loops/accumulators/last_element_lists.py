"""Lists of which nobody reads more than the last element: they are a variable."""

from __future__ import annotations

import ast
import itertools
from typing import NamedTuple

from scanlint.loops.accumulators.list_buffers import added, initial_list
from scanlint.trace.unit import Unit

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp
MOST = 3
"""Elements that may be read."""


class Newest(NamedTuple):
    """Such a list: the expression that makes it, the statements that add an element, and what reads one.

    `lasts` are its last elements at first, the very last one first; `lags` says for each of `reads` which one it reads,
    1 for the very last.
    """

    name: str
    made: ast.expr
    lasts: tuple[ast.expr, ...]
    appends: tuple[ast.stmt, ...]
    reads: tuple[ast.Subscript, ...]
    lags: tuple[int, ...]


def newest(unit: Unit, node: ast.For | ast.While) -> Newest | None:
    """The first list that a loop fills, of which its function reads `ys[-1]`, maybe `ys[-2]`, and nothing else.

    It has as many elements before the loop, and only this loop appends to it, on whatever trips.
    """
    statements = [s for s in ast.walk(node) if isinstance(s, ast.stmt) and s is not node]
    names = dict.fromkeys(found.name for s in statements if (found := added(s)) is not None)
    return next(filter(None, (_of(unit, node, name, statements) for name in names)), None)


def _of(unit: Unit, node: ast.For | ast.While, name: str, statements: list[ast.stmt]) -> Newest | None:
    match initial_list(unit, node, name):
        case (ast.Assign(targets=[ast.Name() as target], value=made), elements):
            pass
        case _:
            return None
    appends = tuple(s for s in statements if (found := added(s)) is not None and found.name == name)
    known = {n for s in appends for n in _beside_element(s)} | {target}
    lags: dict[ast.Subscript, int] = {}
    own = home(unit, node)
    for use in (n for n in ast.walk(own) if isinstance(n, ast.Name) and n.id == name and n not in known):
        place = unit.parents[use]
        lag = _lag(place)
        if lag is None or not isinstance(place, ast.Subscript) or place.value is not use or deferred(unit, place, own):
            return None
        lags[place] = lag
    depth, fronts = max(lags.values(), default=0), any(found.front for s in appends if (found := added(s)) is not None)
    lasts = elements[: -1 - depth : -1]
    if not lags or fronts or len(lasts) < depth or depth > MOST or any(isinstance(e, ast.Starred) for e in elements):
        return None
    return Newest(name, made, lasts, appends, tuple(lags), tuple(lags.values()))


def _beside_element(statement: ast.stmt) -> set[ast.AST]:
    """What a statement is made of but for the element that it adds."""
    found = added(statement)
    assert found is not None
    return set(ast.walk(statement)) - set(ast.walk(found.element))


def _lag(place: ast.AST) -> int | None:
    match place:
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(lag))), ctx=ast.Load()):
            return lag or None
    return None


def home(unit: Unit, node: ast.AST) -> ast.AST:
    """The innermost function around a node."""
    return next((a for a in unit.ancestors(node) if isinstance(a, FUNCTIONS)), unit.node)


def deferred(unit: Unit, place: ast.AST, own: ast.AST) -> bool:
    """Whether a function inside that one reads a place, who knows when."""
    inside = itertools.takewhile(lambda a: a is not own, unit.ancestors(place))
    return any(isinstance(a, FUNCTIONS) for a in inside)
