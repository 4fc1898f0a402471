"""Lists that a loop fills: what makes one, what adds to it, and all other places that speak of it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Iterator
from typing import NamedTuple

from scanlint.dataflow.around import defuse_of
from scanlint.syntax.bindings import binds, binds_in_order
from scanlint.syntax.walk import walk
from scanlint.trace.unit import Unit

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.GeneratorExp


class Added(NamedTuple):
    """What a statement puts at an end of a named list or tuple; `front`: before the others."""

    name: str
    statement: ast.stmt
    element: ast.expr
    front: bool


class ListRow(NamedTuple):
    """A list that a loop fills: the statement that makes it, with its `first` elements, and those that add one.

    `inside` are the other places in the loop that read or bind it, `outside` those before and after the loop.
    """

    name: str
    made: ast.stmt
    first: tuple[ast.expr, ...]
    writes: tuple[Added, ...]
    inside: tuple[ast.Name, ...]
    outside: tuple[ast.Name, ...]


def list_rows(unit: Unit, node: ast.For | ast.While) -> Iterator[ListRow]:
    """The rows of all lists that are made just before a loop and added to in it, on whatever trips."""
    writes: dict[str, list[Added]] = {}
    for statement in walk(node):
        if isinstance(statement, ast.stmt) and statement is not node and (found := added(statement)) is not None:
            writes.setdefault(found.name, []).append(found)
    for name, found_here in writes.items():
        if (made := initial_list(unit, node, name)) is not None:
            yield _row(unit, node, name, made, sorted(found_here, key=lambda w: w.statement.lineno))


def _row(
    unit: Unit, node: ast.stmt, name: str, made: tuple[ast.stmt, tuple[ast.expr, ...]], writes: list[Added]
) -> ListRow:
    known = {n for w in writes for n in beside_element(w.statement, w.element)}
    known |= {n for n in walk(made[0]) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    places = [n for n in mentions(unit, node, name, made[0]) if n not in known]
    body = set(walk(node))
    inside = tuple(n for n in places if n in body)
    return ListRow(name, *made, tuple(writes), inside, tuple(n for n in places if n not in body))


def mentions(unit: Unit, node: ast.stmt, name: str, *statements: ast.stmt) -> list[ast.Name]:
    """The places in the function around a loop where a name may be a variable of these statements.

    Another list of the same name is another variable.
    """
    around, order = home(unit, node), defuse_of(unit)
    every = [n for n in walk(around) if isinstance(n, ast.Name) and n.id == name]
    own = set[ast.AST]()
    for target in (n for s in statements for n in walk(s) if isinstance(n, ast.Name) and n.id == name):
        web = order.web(target)
        if web is None:
            return every
        own |= {*web.reads, *(d.node for d in web.definitions)}
    return [n for n in every if n in own or deferred(unit, n, around)]


def made_before(unit: Unit, node: ast.stmt, name: str) -> ast.Assign | None:
    """The last statement of the block that binds a name before a loop, if it is an assignment of it alone."""
    block = unit.block(node)
    match next((s for s in reversed(block[: block.index(node)]) if name in binds(s)), None):
        case ast.Assign(targets=[ast.Name(id=bound)]) as made if bound == name:
            return made
    return None


def beside_element(statement: ast.stmt, element: ast.expr) -> set[ast.AST]:
    """What a statement is made of but for the element that it adds."""
    return set(walk(statement)) - set(walk(element))


def home(unit: Unit, node: ast.AST) -> ast.AST:
    """The innermost function around a node."""
    return next((a for a in unit.ancestors(node) if isinstance(a, FUNCTIONS)), unit.node)


def deferred(unit: Unit, place: ast.AST, own: ast.AST) -> bool:
    """A function inside that one reads the place, who knows when."""
    inside = itertools.takewhile(lambda a: a is not own, unit.ancestors(place))
    return any(isinstance(a, FUNCTIONS) for a in inside)


def added(statement: ast.stmt) -> Added | None:
    """`ys.append(y)`, `ys.insert(0, y)`, `ys += [y]`, `ys = ys + [y]`, `ys = [*ys, y]`, or one of these with tuples."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[element])):
            return Added(name, statement, element, False)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="insert"), args=[ast.Constant(value=0), element]
            )
        ):
            return Added(name, statement, element, True)
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
            parts = [(name, statement.target), *_parts(value)]
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.BinOp(left=left, op=ast.Add(), right=right)):
            parts = [*_parts(left), *_parts(right)]
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            parts = _parts(value)
        case _:
            return None
    match parts:
        case [(whole, _), (None, element)] if whole == name:
            return Added(name, statement, element, False)
        case [(None, element), (whole, _)] if whole == name:
            return Added(name, statement, element, True)
    return None


def _parts(value: ast.expr) -> list[tuple[str | None, ast.expr]]:
    """What a list is joined of: elements, with None, and the names of whole lists."""
    match value:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return [_part(e) for e in elements]
        case ast.Name(id=name):
            return [(name, value)]
    return [("", value)]


def _part(element: ast.expr) -> tuple[str | None, ast.expr]:
    match element:
        case ast.Starred(value=ast.Name(id=name)):
            return name, element
        case ast.Starred():
            return "", element
    return None, element


def initial_list(unit: Unit, node: ast.stmt, name: str) -> tuple[ast.stmt, tuple[ast.expr, ...]] | None:
    """The statement before the loop, in the same block, that makes the list, and the elements that it starts with."""
    block = unit.block(node)
    for statement in reversed(block[: block.index(node)]):
        for bound, value in _lists(statement):
            if bound == name:
                return statement, tuple(value.elts) if isinstance(value, ast.List | ast.Tuple) else ()
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
            return None
    return None


def _lists(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement binds to lists or tuples of its own: `a = []`, `a, b = [], [x]`, `a = list()`."""
    match statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            pairs = list(zip(names, values, strict=True))
        case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
            pairs = [(target, value)]
        case _:
            return
    for target, value in pairs:
        match target, value:
            case ast.Name(id=bound), ast.List() | ast.Tuple() | ast.Call(
                func=ast.Name(id="list"), args=[], keywords=[]
            ):
                yield bound, value


def inner_list(unit: Unit, node: ast.stmt, name: str, statement: ast.stmt) -> bool:
    """Whether a loop in the body of this one fills a list that each trip makes anew."""
    for around in unit.ancestors(statement):
        if around is node:
            return False
        if isinstance(around, ast.For | ast.While) and initial_list(unit, around, name) is not None:
            return True
    return False


def makes_only(statement: ast.stmt, names: Collection[str]) -> bool:
    """Whether a statement does nothing but make these lists."""
    return set(binds_in_order(statement)) <= set(names)
