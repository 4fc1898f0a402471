"""Results whose shape depends on the values of a tracer: boolean masks as indices, `nonzero` and its like."""

from __future__ import annotations

import ast
from typing import NamedTuple

from scanlint.branches.traced_sizes import is_one_array
from scanlint.jaxapi.static_arguments import COUNTED
from scanlint.trace.unit import Unit

OF_NUMPY = frozenset(f"numpy.{name}" for name in ("nonzero", "argwhere", "flatnonzero", "unique"))
"""Functions of NumPy that cannot take a tracer either, and have a twin with `size=`."""


class Ragged(NamedTuple):
    """A place where values decide on a shape: `needed` is the tracer.

    `size` is the keyword that would fix it, or "" for a mask; `placed`: the mask stands behind `.at`.
    """

    node: ast.Call | ast.Subscript
    needed: ast.expr
    asker: str
    size: str = ""
    placed: bool = False


def ragged_at(unit: Unit, node: ast.AST) -> Ragged | None:
    """The shape that depends on values at a call or a subscript that is read."""
    match node:
        case ast.Subscript(value=ast.Attribute(value=array, attr="at"), slice=index):
            mask = _mask(unit, array, index)
            return Ragged(node, mask, "a boolean mask", placed=True) if mask is not None else None
        case ast.Subscript(value=array, slice=index, ctx=ast.Load()):
            mask = _mask(unit, array, index)
            return Ragged(node, mask, "a boolean mask") if mask is not None else None
        case ast.Call():
            return _counted(unit, node)
    return None


def _mask(unit: Unit, array: ast.expr, index: ast.expr) -> ast.expr | None:
    """The traced truth values among the indices of an array."""
    if not is_one_array(unit.value(array)):
        return None
    for part in index.elts if isinstance(index, ast.Tuple) else [index]:
        value = unit.value(part)
        if value.traced and value.array and value.dtype == "bool":
            return part
    return None


def _counted(unit: Unit, call: ast.Call) -> Ragged | None:
    name = unit.resolve(call.func)
    args: list[ast.expr] = call.args
    match call.func:
        case ast.Attribute(value=receiver, attr="nonzero" | "repeat" as attr) if name is None and is_one_array(
            unit.value(receiver)
        ):
            name, args = f"jax.numpy.{attr}", [receiver, *call.args]
        case ast.Attribute() if name in OF_NUMPY:
            name = f"jax.{name}"
    row = COUNTED.get(name or "")
    if row is None or name is None or any(isinstance(arg, ast.Starred) for arg in args):
        return None
    if (row.arrays and len(args) != row.arrays) or _given(call, row.size):
        return None
    if name.startswith("jax.ops.") and len(args) > 2:
        return None
    if name == "jax.numpy.repeat" and any(k.arg == "repeats" for k in call.keywords):
        return None
    needed = next((args[at] for at in row.places if at < len(args) and unit.value(args[at]).traced), None)
    return Ragged(call, needed, name, row.size) if needed is not None else None


def _given(call: ast.Call, size: str) -> bool:
    """Whether a call says how many elements there are, or may by `**options`."""
    for keyword in call.keywords:
        none = isinstance(keyword.value, ast.Constant) and keyword.value.value is None
        if keyword.arg is None or (keyword.arg == size and not none):
            return True
    return False
