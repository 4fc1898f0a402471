"""Slices of which only a sum is taken: rows of zeros beside them change nothing, so that they may have any length."""

from __future__ import annotations

import ast

from scanlint.trace.unit import Unit

NEUTRAL = {"sum": "0", "prod": "1", "any": "0", "all": "1"}
"""What changes nothing in a reduction."""
NAMED = frozenset(["axis", "keepdims", "dtype"])


def summed(unit: Unit, cut: ast.expr) -> str | None:
    """What counts for nothing where a slice among the indices of an array is only reduced over its own axis."""
    place = unit.parents[cut]
    parts = place.elts if isinstance(place, ast.Tuple) else [cut]
    read = unit.parents[place] if isinstance(place, ast.Tuple) else place
    if not isinstance(read, ast.Subscript):
        return None
    outer = unit.parents[read]
    match outer, unit.parents.get(outer):
        case ast.Call(func=function, args=[given, *rest]), _ if given is read:
            module, _, name = (unit.resolve(function) or "").rpartition(".")
            call = outer
            if module != "jax.numpy":
                return None
        case ast.Attribute(value=given, attr=name), ast.Call(func=function, args=rest) as call if function is outer:
            pass
        case _:
            return None
    if name not in NEUTRAL or {k.arg for k in call.keywords} - NAMED:
        return None
    along = [*rest[:1], *(k.value for k in call.keywords if k.arg == "axis")]
    axis = sum(isinstance(p, ast.Slice) for p in parts[: parts.index(cut)])
    if len(rest) > 1 or any(getattr(a, "value", "") not in (axis, None) or isinstance(a, ast.Attribute) for a in along):
        return None
    return NEUTRAL[name]


def open_ended(unit: Unit, cut: ast.Slice) -> bool:
    """Whether a slice goes from somewhere to the end, and is only summed."""
    return cut.lower is not None and cut.upper is None and cut.step is None and summed(unit, cut) is not None
