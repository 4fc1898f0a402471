"""Arguments of calls that are caught while other code runs: tracers in them are made concrete."""

from __future__ import annotations

import copy
import types

import jax

from ..runtime.jax_functions import attribute
from ..search.case_values import invented

DEEPEST = 6


class Enough(BaseException):
    """Enough calls were caught: the caller need not continue."""


class Unclear(Exception):
    """An argument cannot be separated from the transformation that it belongs to."""


def concrete(value: object) -> object:
    """The value with concrete arrays in place of traced ones, in containers of its own; raises Unclear."""
    with jax.ensure_compile_time_eval():
        return _concrete(value)


def _concrete(value: object, depth: int = 0) -> object:
    if depth > DEEPEST:
        raise Unclear
    if isinstance(value, jax.core.Tracer):
        return _within(value)
    if isinstance(value, types.FunctionType):
        return _function(value, depth)
    flat, tree = jax.tree_util.tree_flatten(value)
    if len(flat) == 1 and flat[0] is value:
        return _opaque(value, depth)
    return jax.tree_util.tree_unflatten(tree, [_concrete(leaf, depth + 1) for leaf in flat])


def _within(value: object) -> object:
    """What a tracer stands for: its primal, its first row in a batch, or values of its shape and dtype."""
    while isinstance(value, jax.core.Tracer):
        inner, axis = attribute(value, "val", None), attribute(value, "batch_dim", None)
        if attribute(value, "primal") is not None:
            value = value.primal
        elif isinstance(inner, jax.Array) and isinstance(axis, int):
            batch = _within(inner)
            value = batch[(*(slice(None),) * axis, 0)] if isinstance(batch, jax.Array) else batch
        else:
            return invented(tuple(value.shape), str(value.dtype), value.ndim, weak=value.weak_type)
    return value


def _function(value: types.FunctionType, depth: int) -> object:
    """A function that closes over concrete values, where it closed over traced ones."""
    cells = value.__closure__ or ()
    held = [_content(cell) for cell in cells]
    if not any(_traced(x) for x in held):
        return value
    made = types.FunctionType(
        value.__code__,
        value.__globals__,
        value.__name__,
        value.__defaults__,
        tuple(types.CellType(_concrete(x, depth + 1)) for x in held),
    )
    made.__kwdefaults__ = value.__kwdefaults__
    return made


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # a function that calls itself, not bound yet
        raise Unclear from None


def _opaque(value: object, depth: int) -> object:
    """An object that is no pytree: itself, or a copy where it holds traced values."""
    held: dict[str, object] = (
        attribute(value, "__dict__", {}) if not isinstance(value, (type, types.ModuleType)) else {}
    )
    if not any(_traced(x) for x in held.values()):
        return value
    made = copy.copy(value)
    for name, inner in held.items():
        object.__setattr__(made, name, _concrete(inner, depth + 1))
    return made


def _traced(value: object) -> bool:
    """Whether a value, or a function's closure, holds a tracer."""
    leaves = jax.tree_util.tree_leaves(value)
    cells = [c for leaf in leaves if isinstance(leaf, types.FunctionType) for c in leaf.__closure__ or ()]
    return any(isinstance(leaf, jax.core.Tracer) for leaf in leaves) or any(
        isinstance(inner, jax.core.Tracer) for c in cells for inner in jax.tree_util.tree_leaves(_content(c))
    )
