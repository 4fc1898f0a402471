"""How the lengths of arrays along their axes are written."""

from __future__ import annotations

import ast
from collections.abc import Sequence

SHAPED = frozenset(f"jax.numpy.{name}" for name in ("zeros", "ones", "empty", "full"))
AXES = 4
"""Axes that are looked at where the rank is not known."""


def extent(array: ast.expr, axis: int) -> str:
    """How index arithmetic writes the length of an array along an axis."""
    return f"{ast.unparse(array)}.shape[{axis}]" if axis else f"len({ast.unparse(array)})"


def widths(width: ast.expr) -> Sequence[tuple[ast.expr, ast.expr]]:
    """What is put before and behind an array along each axis."""
    match width:
        case (
            ast.Tuple(elts=[ast.Tuple() | ast.List(), *_] as pairs)
            | ast.List(elts=[ast.Tuple() | ast.List(), *_] as pairs)
        ):
            found = [(p.elts[0], p.elts[1]) for p in pairs if isinstance(p, ast.Tuple | ast.List) and len(p.elts) == 2]
            if len(found) == len(pairs):
                return found * AXES if len(found) == 1 else found
            return []
        case ast.Tuple(elts=[before, after]) | ast.List(elts=[before, after]):
            return [(before, after)] * AXES
        case ast.Tuple() | ast.List() | ast.Dict():
            return []
    return [(width, width)] * AXES
