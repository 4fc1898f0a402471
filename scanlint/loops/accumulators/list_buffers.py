"""The statements that make a list which a loop fills, `ys = []` or `ys = [None] * n`, and those that fill it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import NamedTuple

from scanlint.loops.sizes.affine import polynomial
from scanlint.syntax.bindings import binds, binds_in_order, reads
from scanlint.trace.unit import Unit


class Counted(NamedTuple):
    """A loop that counts each of `trips` places once, from the last one to the first where it is `falling`."""

    target: str
    trips: ast.expr
    falling: bool


class Slots(NamedTuple):
    """The statement that makes such a list, and whether the loop fills it from its end."""

    made: ast.stmt
    falling: bool


class Added(NamedTuple):
    """What a statement puts at an end of a named list or tuple; `front`: before the others."""

    name: str
    element: ast.expr
    front: bool


def added(statement: ast.stmt) -> Added | None:
    """`ys.append(y)`, `ys.insert(0, y)`, `ys += [y]`, `ys = ys + [y]`, `ys = [*ys, y]`, or one of these with tuples."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[element])):
            return Added(name, element, False)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="insert"), args=[ast.Constant(value=0), element]
            )
        ):
            return Added(name, element, True)
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=more) if (one := _one(more)) is not None:
            return Added(name, one, False)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            match value:
                case ast.BinOp(left=ast.Name(id=before), op=ast.Add(), right=more) if before == name:
                    one = _one(more)
                    return Added(name, one, False) if one is not None else None
                case ast.BinOp(left=more, op=ast.Add(), right=ast.Name(id=before)) if before == name:
                    one = _one(more)
                    return Added(name, one, True) if one is not None else None
                case (
                    ast.List(elts=[ast.Starred(value=ast.Name(id=before)), element])
                    | ast.Tuple(elts=[ast.Starred(value=ast.Name(id=before)), element])
                ) if before == name:
                    return Added(name, element, False) if not isinstance(element, ast.Starred) else None
                case (
                    ast.List(elts=[element, ast.Starred(value=ast.Name(id=before))])
                    | ast.Tuple(elts=[element, ast.Starred(value=ast.Name(id=before))])
                ) if before == name:
                    return Added(name, element, True) if not isinstance(element, ast.Starred) else None
    return None


def _one(value: ast.expr) -> ast.expr | None:
    """The only element of a list or a tuple."""
    match value:
        case ast.List(elts=[element]) | ast.Tuple(elts=[element]) if not isinstance(element, ast.Starred):
            return element
    return None


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


def fills(node: ast.For | ast.While) -> Iterator[tuple[str, ast.stmt, ast.expr]]:
    """`ys[i] = y` in a loop that counts `i`: the name, the statement, and what is put there."""
    counted = _counted(node)
    if counted is None or counted.target in binds(*node.body):
        return
    for statement in node.body:
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=at))], value=element) if (
                at == counted.target
            ):
                yield name, statement, element


def slots(unit: Unit, node: ast.For | ast.While, name: str) -> Slots | None:
    """What makes a list before the loop, in the same block, that has just as many places as the loop makes trips."""
    counted, block = _counted(node), unit.block(node)
    between: list[ast.stmt] = []
    for statement in reversed(block[: block.index(node)]):
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                made = places_of(unit, value)
                if counted is None or made is None or binds(*between) & reads(made[1], counted.trips):
                    return None
                alike = polynomial(made[1]) == polynomial(counted.trips)
                return Slots(statement, counted.falling) if alike else None
        if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
            return None
        between.append(statement)
    return None


def places_of(unit: Unit, made: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What `[None] * n` or `[0.0 for _ in range(n)]` is full of, a constant, and how many places it has."""
    match made:
        case ast.BinOp(left=ast.List(elts=[filling]), op=ast.Mult(), right=count):
            pass
        case ast.BinOp(left=count, op=ast.Mult(), right=ast.List(elts=[filling])):
            pass
        case ast.ListComp(
            elt=filling, generators=[ast.comprehension(iter=ast.Call(args=[count], keywords=[]) as call, ifs=[])]
        ) if unit.resolve(call.func) == "builtins.range":
            pass
        case _:
            return None
    match filling:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return filling, count
    return None


def _counted(node: ast.For | ast.While) -> Counted | None:
    match node:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=index), _]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Name() as rows], keywords=[]),
        ):
            return Counted(index, ast.Call(ast.Name("len", ast.Load()), [rows], []), False)
        case ast.For(
            target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="reversed"), args=[ast.Call() as inner])
        ):
            found = _range(index, inner)
            return found._replace(falling=not found.falling) if found is not None else None
        case ast.For(target=ast.Name(id=index), iter=ast.Call() as inner):
            return _range(index, inner)
    return None


def _range(index: str, call: ast.Call) -> Counted | None:
    """`range(n)`, `range(0, n)` or `range(n - 1, -1, -1)`"""
    if not (isinstance(call.func, ast.Name) and call.func.id == "range") or call.keywords:
        return None
    match call.args:
        case [count] | [ast.Constant(value=0), count]:
            return Counted(index, count, False)
        case [last, stop, step] if polynomial(stop) == polynomial(step) == {(): -1}:
            return Counted(index, ast.BinOp(last, ast.Add(), ast.Constant(1)), True)
    return None
