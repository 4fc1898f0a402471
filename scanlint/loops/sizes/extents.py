"""How long arrays are along their axes, as index arithmetic: `jnp.pad(x, p)` has `2 * p` more rows than `x`."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator, Mapping, Sequence

from scanlint.loops.sizes.affine import Polynomial, add, polynomial
from scanlint.trace.unit import Unit

SHAPED = frozenset(f"jax.numpy.{name}" for name in ("zeros", "ones", "empty", "full"))
AXES = 4
"""Axes that are looked at where the rank is not known."""


def extent(array: ast.expr, axis: int) -> str:
    """How index arithmetic writes the length of an array along an axis."""
    return f"{ast.unparse(array)}.shape[{axis}]" if axis else f"len({ast.unparse(array)})"


def padded(
    unit: Unit, made: ast.expr, known: Mapping[str, Polynomial], once: Container[str]
) -> Iterator[tuple[int, Polynomial]]:
    """The length along each axis of `jnp.pad(x, ...)`, where `x` is the same all through the function."""
    match made:
        case ast.Call(func=function, args=[ast.Name(id=name) as array, width, *_]) if name in once:
            if unit.resolve(function) == "jax.numpy.pad":
                for axis, (before, after) in enumerate(_widths(width)):
                    rows: Polynomial = known.get(extent(array, axis), {(extent(array, axis),): 1})
                    yield axis, add(rows, add(polynomial(before, known), polynomial(after, known)))


def _widths(width: ast.expr) -> Sequence[tuple[ast.expr, ast.expr]]:
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
