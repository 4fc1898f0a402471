"""Ranks suggested by sums, reductions and matrix products."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .need import ALONG, SAME_SHAPE, WEIGHT, Need
from .places import Places


def arithmetic(places: Places, left: ast.expr, op: ast.operator, right: ast.expr) -> None:
    """Take in what an operation requires of its operands."""
    for side, other in ((left, right), (right, left)):
        need = places.need(side)
        match op:
            case ast.MatMult():
                if need is not None and side is left and _row_in(left, right):
                    need.at_least(2)
                row = isinstance(side, ast.Subscript) and (_row_in(left, side) or not _named(side.slice))
                multiplied(places, side, need, first=side is left, row=side is right and row)
            case ast.Div() | ast.Pow() if need is not None:
                need.floating = True
            case ast.Add() | ast.Sub() if need is not None:
                need.perhaps(rank_of(places, other) if _product(other) else 0)
            case ast.Sub() if _spread(side) and _spread(other):  # every row beside every row: of points, most likely
                rows = [places.need(s.value) for s in (side, other) if isinstance(s, ast.Subscript)]
                if rows[0] is not None and rows[1] is not None:
                    rows[0].perhaps(rows[1].guessed_rank())


def _spread(node: ast.expr) -> bool:
    """Whether an index adds an axis: `x[:, None]`, `x[None]`."""
    place = node.slice if isinstance(node, ast.Subscript) else None
    parts = place.elts if isinstance(place, ast.Tuple) else [place]
    return any(isinstance(p, ast.Constant) and p.value is None for p in parts)


def _row_in(left: ast.expr, right: ast.expr) -> bool:
    """Whether a matrix is multiplied by one of its own rows, or by a value computed from one: `m @ (v + m[i])`."""
    rows = (n.value for n in ast.walk(right) if isinstance(n, ast.Subscript) and not _spread(n))
    return any(ast.unparse(row) == ast.unparse(left) for row in rows)


def _named(place: ast.expr) -> bool:
    """Whether it is an item under a constant key, `params["w"]`, rather than one row of many."""
    return isinstance(place, ast.Constant) and isinstance(place.value, str)


def multiplied(places: Places, side: ast.expr, need: Need | None, *, first: bool, row: bool) -> None:
    """One side of `@`, the `first` or the second, maybe a `row` of the other or of many.

    What stands between two `@` is a matrix: `(u @ m) @ v`, `u @ (m @ v)`.
    """
    if need is not None:
        need.is_array = True
        need.at_least(1)
        if not row and (isinstance(side, (ast.Subscript, ast.Attribute)) or WEIGHT.match(_last(side))):
            need.perhaps(2)
    match side:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            inner = places.need(right if first else left)
            if inner is not None:
                inner.is_array = True
                inner.perhaps(2)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            for part in (left, right):
                inner = places.need(part)
                if inner is not None:
                    inner.perhaps(1)


def reduced(places: Places, value: ast.expr, name: str, call: ast.Call, after: list[ast.expr]) -> None:
    """The operand of a reduction or flip along an axis has at least that axis.

    A reduced matrix product is not a product of two vectors, so its first factor is a matrix if the second is none.
    `after` are the arguments that follow the value in the call.
    """
    while isinstance(value, ast.Call) and value.args and getattr(value.func, "attr", "") in SAME_SHAPE:
        value = value.args[0]
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.MatMult):
        arithmetic(places, value.left, value.op, value.right)
        matrix = places.need(value.left) if rank_of(places, value.right) < 2 else None
        if matrix is not None:
            matrix.perhaps(2)
        return
    need = places.need(value) or _only(places, value)
    if need is None or need.is_int or (isinstance(value, ast.Name) and value.id in places.likened):
        return
    place = after[0] if after and name in ALONG else None
    match next((k.value for k in call.keywords if k.arg == "axis"), place):
        case ast.Constant(value=int() as axis) if not isinstance(axis, bool):
            need.at_least(axis + 1)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as axis)):
            need.at_least(axis)
        case _:
            need.at_least(1)


def repeated(places: Places, target: ast.expr, value: ast.expr) -> None:
    """`m` in `x = m @ x` is a matrix: the product of two vectors would be a number."""
    name = target.id if isinstance(target, ast.Name) else None
    for node in ast.walk(value) if name else ():
        match node:
            case ast.BinOp(left=left, op=ast.MatMult(), right=right) if (need := places.need(left)) is not None:
                if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(right)):
                    need.perhaps(2)


def _only(places: Places, value: ast.expr) -> Need | None:
    """The only value from which an elementwise expression is computed."""
    match value:
        case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.MatMult):
            found = [places.need(s) or _only(places, s) for s in (left, right) if not isinstance(s, ast.Constant)]
            return found[0] if found and all(need is found[0] for need in found) else None
        case ast.UnaryOp(operand=operand):
            return places.need(operand) or _only(places, operand)
    return None


def rank_of(places: Places, node: ast.expr) -> int:
    """The rank that an expression most likely has."""
    match node:
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            ranks = [max(rank_of(places, s), 1) for s in (left, right)]
            return max(sum(ranks) - 2, 0)
        case ast.BinOp(left=left, right=right):
            return max(rank_of(places, left), rank_of(places, right))
        case ast.Attribute(value=value, attr="T" | "mT"):
            return max(rank_of(places, value), 2)
    need = places.need(node)
    if need is None:
        return 2 if WEIGHT.match(_last(node)) else 0
    return need.guessed_rank()


def _product(node: ast.expr) -> bool:
    """Whether a matrix product stands in a sum or difference."""
    match node:
        case ast.BinOp(op=ast.MatMult()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return _product(left) or _product(right)
    return False


def _last(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def summed(places: Places, arguments: Sequence[ast.expr]) -> None:
    """The axes that the subscripts of an `einsum` name: axes of one letter are of one size."""
    match arguments:
        case [ast.Constant(value=str(subscripts)), *operands] if "." not in subscripts:
            sizes: dict[str, int | str] = {}
            for letters, operand in zip(
                subscripts.replace(" ", "").partition("->")[0].split(","), operands, strict=False
            ):
                need = places.need(operand)
                if need is None:
                    continue
                need.is_array = True
                need.at_least(len(letters))
                for axis, letter in enumerate(letters):
                    name = sizes.setdefault(letter, need.extent(axis))
                    need.sizes[axis] = name
