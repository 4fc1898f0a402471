"""Arrays that a loop makes longer by a row on each trip: `path = jnp.concatenate([path, x[None]])`."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple

from scanlint.trace.unit import Unit

JOINS = ("concatenate", "append", "vstack", "hstack")
EMPTY = ("zeros", "empty", "ones")
MAKES = ("array", "asarray")


class Growing(NamedTuple):
    """The array, what it starts as (`made`, of which `first` is the only row), and the statement that adds the `row`.

    `front`: the row comes first. `joins`: what joins arrays of more rows, or of more axes, as they are.
    """

    name: str
    made: ast.Assign
    first: ast.expr | None
    grows: ast.Assign
    row: ast.expr
    front: bool
    joins: str


def growing(unit: Unit, node: ast.For | ast.While, carried: Collection[str]) -> tuple[Growing, ...]:
    """The carried arrays that grow so and that nothing else in the loop reads."""
    found = (grows_by(unit, node, statement) for statement in node.body)
    return tuple(one for one in found if one is not None and one.name in carried)


def grows_by(unit: Unit, node: ast.For | ast.While, statement: ast.stmt) -> Growing | None:
    """The array that a statement of a loop makes longer, where the loop does nothing else with it."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
            joined, made = _joined(unit, call, name), _made(unit, node, name)
            inside = [n for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == name]
            if joined is not None and made is not None and len(inside) == 2:
                row, front, joins = joined
                return Growing(name, *made, statement, row, front, joins)
    return None


def _joined(unit: Unit, call: ast.Call, name: str) -> tuple[ast.expr, bool, str] | None:
    """The row that a call adds to an array, whether it comes first, and what joins others as they are."""
    module, _, function = (unit.resolve(call.func) or "").rpartition(".")
    if module != "jax.numpy" or function not in JOINS:
        return None
    along = [k.value for k in call.keywords if k.arg == "axis"]
    if function == "append":
        parts, along = list(call.args[:2]), [*along, *call.args[2:]]
    else:
        listed = call.args[0] if call.args else None
        parts, along = list(getattr(listed, "elts", ())), [*along, *call.args[1:]]
    if len(parts) != 2 or any(getattr(axis, "value", None) != 0 for axis in along):
        return None
    front = isinstance(parts[1], ast.Name) and parts[1].id == name
    kept, added = reversed(parts) if front else parts
    if not (isinstance(kept, ast.Name) and kept.id == name):
        return None
    row = _row(unit, added)
    if row is None and (function == "concatenate" or along):
        return None  # as many rows as it has
    return row if row is not None else added, front, function if row is None else ""


def _row(unit: Unit, rows: ast.expr) -> ast.expr | None:
    """What an array of one row is made of: the `x` of `x[None]`, `jnp.expand_dims(x, 0)`, `jnp.array([x])`."""
    match rows:
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[first, *rest])):
            whole = all(isinstance(r, ast.Slice) and not (r.lower or r.upper or r.step) for r in rest)
            return value if _new_axis(unit, first) and (whole or _ellipsis(rest)) else None
        case ast.Subscript(value=value, slice=place):
            return value if _new_axis(unit, place) else None
        case ast.List(elts=[value]):
            return value
        case ast.Call(func=function, args=[value, *axis], keywords=keywords):
            name = (unit.resolve(function) or "").removeprefix("jax.numpy.")
            given = [*axis, *(k.value for k in keywords if k.arg == "axis")]
            if name == "expand_dims" and [getattr(a, "value", None) for a in given] == [0]:
                return value
            if name in MAKES and not axis and not keywords and isinstance(value, ast.List) and len(value.elts) == 1:
                return value.elts[0]
    return None


def _new_axis(unit: Unit, place: ast.expr) -> bool:
    none = isinstance(place, ast.Constant) and place.value is None
    return none or unit.resolve(place) in ("jax.numpy.newaxis", "numpy.newaxis")


def _ellipsis(rest: list[ast.expr]) -> bool:
    return len(rest) == 1 and isinstance(rest[0], ast.Constant) and rest[0].value is ...


def _made(unit: Unit, node: ast.stmt, name: str) -> tuple[ast.Assign, ast.expr | None] | None:
    """The statement before the loop that makes the array of no rows, or of one, and that row."""
    block = unit.block(node)
    for statement in reversed(block[: block.index(node)]):
        if not any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(statement)):
            continue
        match statement:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                row = _row(unit, value) if not isinstance(value, ast.List) else None
                if row is not None:
                    return statement, row
                return (statement, None) if _empty(unit, value) else None
        return None
    return None


def _empty(unit: Unit, value: ast.expr) -> bool:
    """`jnp.array([])`, `jnp.zeros((0, 3))`, `jnp.empty(0)`."""
    match value:
        case ast.Call(func=function, args=[shape, *_]):
            name = (unit.resolve(function) or "").removeprefix("jax.numpy.")
            rows = shape.elts[:1] if isinstance(shape, ast.Tuple | ast.List) else [shape]
            none = [getattr(r, "value", None) for r in rows] == [0]
            return (name in EMPTY and none) or (name in MAKES and isinstance(shape, ast.List) and not shape.elts)
    return False
