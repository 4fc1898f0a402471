"""Ranks that sums and matrix products suggest."""

from __future__ import annotations

import ast

from .need import WEIGHT, Need
from .places import Places


def arithmetic(places: Places, left: ast.expr, op: ast.operator, right: ast.expr) -> None:
    """Take in what an operation tells of its operands."""
    for side, other in ((left, right), (right, left)):
        need = places.need(side)
        match op:
            case ast.MatMult():
                multiplied(places, side, need)
            case ast.Div() | ast.Pow() if need is not None:
                need.floating = True
            case ast.Add() | ast.Sub() if need is not None:
                need.perhaps(rank_of(places, other) if _product(other) else 0)


def multiplied(places: Places, side: ast.expr, need: Need | None) -> None:
    """One side of `@`; what stands between two `@` is a matrix."""
    if need is not None:
        need.is_array = True
        need.at_least(1)
        if isinstance(side, (ast.Subscript, ast.Attribute)) or WEIGHT.match(_last(side)):
            need.perhaps(2)
    match side:
        case ast.BinOp(op=ast.MatMult(), right=middle):
            inner = places.need(middle)
            if inner is not None:
                inner.is_array = True
                inner.perhaps(2)


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
    return 0 if need is None else need.guessed_rank()


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
