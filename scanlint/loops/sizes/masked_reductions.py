"""Reductions over slices whose length changes from trip to trip: the same over whole rows, where a mask says so."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from scanlint.dataflow.finite_partials import finite_partials
from scanlint.jaxapi.words import words
from scanlint.trace.unit import Unit

REDUCED = frozenset(words("sum prod any all mean"))
PRODUCTS = frozenset(f"jax.numpy.{name}" for name in words("dot matmul inner vdot"))
SAME = frozenset(
    f"jax.numpy.{name}"
    for name in words("abs square sqrt exp log sin cos tan tanh maximum minimum power conj conjugate")
)
"""Functions of each element on its own."""


class Masked(NamedTuple):
    """A reduction, the slices in it, all with the bounds of `cut`, and the left factor where it is a product."""

    node: ast.Call | ast.BinOp
    slices: tuple[ast.Subscript, ...]
    cut: ast.Slice
    left: ast.expr | None


def masked(unit: Unit, cut: ast.Slice) -> Masked | None:
    """The reduction that one slice `lower:upper` stands in, if whole rows under a mask give the same."""
    part = _read(unit, cut)
    if part is None or cut.step is not None or (cut.lower is None and cut.upper is None):
        return None
    while True:
        outer = unit.parents.get(part)
        match outer:
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return _product(unit, outer, left, right, cut)
            case ast.BinOp() | ast.UnaryOp(op=ast.USub()) | ast.Compare(ops=[_]):
                part = outer
            case ast.Attribute(attr=name) if name in REDUCED:
                call = unit.parents.get(outer)
                if not isinstance(call, ast.Call) or call.func is not outer:
                    return None
                return _reduced(unit, call, part, call.args, cut)
            case ast.Call(func=function, args=args) if part in args:
                name = unit.resolve(function) or ""
                if name in PRODUCTS and len(args) == 2 and not outer.keywords:
                    return _product(unit, outer, args[0], args[1], cut)
                if name.removeprefix("jax.numpy.") in REDUCED and part is args[0]:
                    return _reduced(unit, outer, part, args[1:], cut)
                if name not in SAME or outer.keywords:
                    return None
                part = outer
            case _:
                return None


def _read(unit: Unit, cut: ast.Slice) -> ast.expr | None:
    """The array that a slice is read of: `x[i, :j]`."""
    place = unit.parents[cut]
    read = unit.parents[place] if isinstance(place, ast.Tuple) else place
    return read if isinstance(read, ast.Subscript) and isinstance(read.ctx, ast.Load) else None


def indices(read: ast.Subscript) -> list[ast.expr]:
    return read.slice.elts if isinstance(read.slice, ast.Tuple) else [read.slice]


def _slices(part: ast.expr, cut: ast.Slice) -> tuple[ast.Subscript, ...] | None:
    """The reads by slices in an expression, if all have these bounds and leave one axis, as far as is written."""
    found = [n for n in ast.walk(part) if isinstance(n, ast.Subscript) and _sliced(n)]
    alike = all([ast.dump(p) for p in _sliced(n)] == [ast.dump(cut)] for n in found)
    return tuple(found) if found and alike else None


def _sliced(read: ast.Subscript) -> list[ast.Slice]:
    return [p for p in indices(read) if isinstance(p, ast.Slice)]


def _reduced(unit: Unit, call: ast.Call, part: ast.expr, rest: Sequence[ast.expr], cut: ast.Slice) -> Masked | None:
    """`jnp.sum(x[:i] * y[:i])` of vectors."""
    found = _slices(part, cut)
    given = [*rest[:1], *(k.value for k in call.keywords if k.arg == "axis")]
    other = {k.arg for k in call.keywords} - {"axis", "dtype"}
    if not finite_partials(unit, part):
        return None  # what the mask leaves out counts in the gradient, as NaN
    if found is None or len(rest) > 1 or other or any(ast.unparse(a) not in ("0", "-1", "None") for a in given):
        return None
    if any(unit.value(read.value).ndim != len(indices(read)) for read in found):
        return None
    return Masked(call, found, cut, None)


def _product(unit: Unit, node: ast.Call | ast.BinOp, left: ast.expr, right: ast.expr, cut: ast.Slice) -> Masked | None:
    """`a[i, :j] @ x[:j]`: only vectors as long as the first axis of the other have a product for more than one `j`."""
    lefts, rights = _slices(left, cut), _slices(right, cut)
    if lefts is None or rights is None or any(not isinstance(indices(n)[-1], ast.Slice) for n in lefts):
        return None
    arrays = [unit.value(read.value) for read in (*lefts, *rights)]
    return Masked(node, (*lefts, *rights), cut, left) if all(v.array or v.traced for v in arrays) else None
