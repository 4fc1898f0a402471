"""Lists of which nobody reads more than the last element: they are a variable."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.analysis.lists import added, initial_list
from scanlint.analysis.unit import Unit


class Newest(NamedTuple):
    """Such a list: the expression that makes it, its last element there, the statements that add one, the reads."""

    name: str
    made: ast.expr
    first: ast.expr
    appends: tuple[ast.stmt, ...]
    reads: tuple[ast.Subscript, ...]


def newest(unit: Unit, node: ast.For | ast.While) -> Newest | None:
    """The first list that a loop fills, of which its function reads `ys[-1]` and nothing else.

    It has an element before the loop, and only this loop appends to it, on whatever trips.
    """
    statements = [s for s in ast.walk(node) if isinstance(s, ast.stmt) and s is not node]
    names = dict.fromkeys(found.name for s in statements if (found := added(s)) is not None)
    return next(filter(None, (_of(unit, node, name, statements) for name in names)), None)


def _of(unit: Unit, node: ast.For | ast.While, name: str, statements: list[ast.stmt]) -> Newest | None:
    made = initial_list(unit, node, name)
    match made:
        case (
            ast.Assign(targets=[ast.Name()], value=ast.List(elts=[*_, last]) as value)
            | ast.AnnAssign(annotation=None, value=ast.List(elts=[*_, last]) as value),
            _,
        ) if not isinstance(last, ast.Starred):
            start = made[0]
        case _:
            return None
    appends = tuple(s for s in statements if (found := added(s)) is not None and found.name == name)
    known = {n for s in appends for n in _beside_element(s)} | set(ast.walk(start)) - set(ast.walk(value))
    places: list[ast.Subscript] = []
    for use in (n for n in ast.walk(unit.node) if isinstance(n, ast.Name) and n.id == name and n not in known):
        place = unit.parents[use]
        if not (_last(place) and isinstance(place, ast.Subscript) and place.value is use) or _deferred(unit, place):
            return None
        places.append(place)
    fronts = any(found.front for s in appends if (found := added(s)) is not None)
    return Newest(name, value, last, appends, tuple(places)) if places and not fronts else None


def _beside_element(statement: ast.stmt) -> set[ast.AST]:
    """What a statement is made of but for the element that it adds."""
    found = added(statement)
    assert found is not None
    return set(ast.walk(statement)) - set(ast.walk(found.element))


def _last(place: ast.AST) -> bool:
    match place:
        case ast.Subscript(slice=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)), ctx=ast.Load()):
            return True
    return False


def _deferred(unit: Unit, place: ast.AST) -> bool:
    """Whether a function inside this one reads it, who knows when."""
    inner = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp
    return any(isinstance(a, inner) and a is not unit.node for a in unit.ancestors(place))
