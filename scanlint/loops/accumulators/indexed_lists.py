"""Lists of numbers with places that a loop sets, in whatever order and maybe not all: an array is meant."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from scanlint.loops.accumulators.last_element_lists import deferred, home
from scanlint.loops.accumulators.list_buffers import places_of
from scanlint.syntax.bindings import binds, reads, targets
from scanlint.trace.unit import Unit

JOINS = frozenset(f"jax.numpy.{name}" for name in ("array", "asarray", "stack"))
MOST_STEPS = 8


class Placed(NamedTuple):
    """Such a list: what makes it of so many `places` with a `number`, the statements that set one, where it is joined.

    `arrays` are the names whose dtypes, with that of the number, the elements have; they are bound where it is made.
    """

    name: str
    made: ast.Assign
    number: int | float
    places: ast.expr
    stores: tuple[ast.Assign | ast.AugAssign, ...]
    joined: tuple[ast.Call, ...]
    arrays: tuple[str, ...]


def placed(unit: Unit, node: ast.For | ast.While) -> Placed | None:
    """The first list that a loop sets places of, and of which nothing is used but places, its length, and the array."""
    stores = (t for s in ast.walk(node) if isinstance(s, ast.stmt) for t in _stored(s))
    return next(filter(None, (_of(unit, node, name) for name in dict.fromkeys(stores))), None)


def _stored(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=place)])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name), slice=place), op=ast.Add() | ast.Mult())
        ) if not isinstance(place, ast.Slice | ast.Tuple):
            yield name


def _of(unit: Unit, node: ast.For | ast.While, name: str) -> Placed | None:
    block = unit.block(node)
    before = block[: block.index(node)]
    made = next((s for s in reversed(before) if name in binds(s)), None)
    match made:
        case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
            found = places_of(unit, value)
        case _:
            return None
    number = ast.literal_eval(found[0]) if found is not None else None
    if found is None or number is None or type(number) not in (int, float):
        return None
    stores: list[ast.Assign | ast.AugAssign] = []
    joined: list[ast.Call] = []
    own = home(unit, node)
    for use in (n for n in ast.walk(own) if isinstance(n, ast.Name) and n.id == name):
        if use is made.targets[0]:
            continue
        parent = unit.parents[use]
        if deferred(unit, use, own) or (isinstance(parent, ast.Subscript) and parent.value is not use):
            return None
        match parent:
            case ast.Subscript(ctx=ast.Store()) as target if name in _stored(statement := _statement(unit, target)):
                assert isinstance(statement, ast.Assign | ast.AugAssign)
                stores.append(statement)
            case ast.Subscript(slice=place, ctx=ast.Load()) if not isinstance(place, ast.Slice | ast.Tuple):
                continue
            case ast.Call(func=ast.Name(id="len")):
                continue
            case ast.Call(func=function, args=[_], keywords=[]) as call if unit.resolve(function) in JOINS:
                if any(a is node for a in unit.ancestors(call)):
                    return None
                joined.append(call)
            case _:
                return None
    late = binds(*block[block.index(made) + 1 : block.index(node)])
    arrays = dict.fromkeys(n for s in stores for n in _typing(unit, node, s.value) if n not in late)
    return Placed(name, made, number, found[1], tuple(stores), tuple(joined), tuple(arrays)) if joined else None


def _statement(unit: Unit, part: ast.AST) -> ast.stmt:
    while not isinstance(part, ast.stmt):
        part = unit.parents[part]
    return part


def _typing(unit: Unit, node: ast.For | ast.While, element: ast.expr, depth: int = 0) -> Iterator[str]:
    """The arrays from outside of a loop that an element takes its dtype from, as far as that is to be seen."""
    bound = binds(node)
    rows = targets(node.target) if isinstance(node, ast.For) else []
    stack: list[ast.expr] = [element]
    while stack:
        part = stack.pop(0)
        match part:
            case ast.Name(id=name) if name in rows and isinstance(node, ast.For) and node.iter is not element:
                yield from _typing(unit, node, node.iter, depth + 1)
            case ast.Name(id=name):
                if name not in bound and (unit.value(part).traced or unit.value(part).array):
                    yield name
                for statement in ast.walk(node) if name in bound and depth < MOST_STEPS else ():
                    match statement:
                        case ast.Assign(targets=[ast.Name(id=own)], value=value) if own == name and name not in reads(
                            value
                        ):
                            yield from _typing(unit, node, value, depth + 1)
            case ast.Subscript(value=value):
                stack.append(value)
            case ast.Compare() | ast.Lambda():
                continue
            case ast.Call(args=args):
                stack += args
            case _:
                stack += [child for child in ast.iter_child_nodes(part) if isinstance(child, ast.expr)]
