"""Masks as indices, in forms that keep the shape: `jnp.where`, and reductions with `where=`."""

from __future__ import annotations

import ast

from scanlint.branches.value_shapes import Ragged
from scanlint.finding import Outcome, Withheld
from scanlint.jaxapi.words import words
from scanlint.rewrite.emit.in_place import in_place
from scanlint.rewrite.emit.snippets import on_one_line
from scanlint.rewrite.emit.spelling import Spelling
from scanlint.trace.unit import Unit

REDUCTIONS = words("sum prod mean any all var std")
"""Reductions that take `where=` and need no first value for it."""


def to_where(unit: Unit, found: Ragged) -> Outcome:
    """`x[mask].sum()` and `jnp.sum(x[mask])` as `jnp.sum(x, where=mask)`; all else is for the author to decide."""
    node = found.node
    if isinstance(node, ast.Call):
        return Withheld("size-of-values", f"only you know how many there are at most (line {node.lineno})")
    call, name = _reduction(unit, node)
    if call is None or found.placed or found.needed is not node.slice:
        return Withheld(
            "shape-of-values", f"only you know what is to stand where the mask is false (line {node.lineno})"
        )
    array, mask = unit.value(node.value), unit.value(found.needed)
    if not _same_rank(node, found.needed) and (array.ndim is None or array.ndim != mask.ndim):
        return Withheld("mask-of-rows", f"the mask may have fewer axes than the array (line {node.lineno})")
    spelling, source = Spelling(unit), unit.source
    code, chosen = on_one_line(source.segment(node.value)), on_one_line(source.segment(found.needed))
    return in_place(unit, call, f"{spelling(f'jax.numpy.{name}')}({code}, where={chosen})", "where", spelling)


def _reduction(unit: Unit, node: ast.Subscript) -> tuple[ast.Call | None, str]:
    """The call that adds up, or the like, all that a mask selects."""
    outer = unit.parents.get(node)
    match outer:
        case ast.Call(func=function, args=[inner], keywords=[]) if inner is node:
            name = unit.resolve(function) or ""
            last = name.removeprefix("jax.numpy.")
            return (outer, last) if last in REDUCTIONS and last != name else (None, "")
        case ast.Attribute(attr=attr) if attr in REDUCTIONS:
            call = unit.parents.get(outer)
            return (call, attr) if isinstance(call, ast.Call) and not call.args and not call.keywords else (None, "")
    return None, ""


def _same_rank(node: ast.Subscript, mask: ast.expr) -> bool:
    """Whether the mask is a comparison of the array itself with a number."""
    match mask:
        case ast.Compare(left=left, comparators=[right]):
            sides = (left, right)
            other = next((s for s, t in (sides, sides[::-1]) if ast.unparse(t) == ast.unparse(node.value)), None)
            return other is not None and isinstance(other, ast.Constant | ast.UnaryOp)
    return False
