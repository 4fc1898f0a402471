"""Derivatives of one version: its gradient, how its results move, and how its gradient does."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from ...runtime.calling import Signature, Values, split
from ...runtime.jax_functions import shape
from ...runtime.version_pair import Function
from ..result_trees import floating

Derivative = Callable[[Signature, Function, Values], "list[object] | None"]


def gradient(signature: Signature, function: Function, values: Values) -> list[object] | None:
    """The gradient of a fixed random projection of the float outputs, for each float leaf."""
    objective, place = _objective(signature, function, values, floating)
    if not place:
        return None
    found: list[object] = jax.grad(objective)(place)
    return found


def of_numbers(
    signature: Signature, function: Function, values: Values, *, compiled: bool = False
) -> list[object] | None:
    """The gradient by the Python floats among the arguments."""
    objective, place = _objective(signature, function, values, lambda x: type(x) is float)
    derivative = jax.grad(objective)
    return list((jax.jit(derivative) if compiled else derivative)(place)) if place else None


def second(signature: Signature, function: Function, values: Values, *, compiled: bool = False) -> list[object] | None:
    """How the outputs move, and their gradient, when the float leaves move in a fixed random direction."""
    objective, place = _objective(signature, function, values, floating)
    if not place:
        return None

    def moved(place: list[object]) -> list[object]:
        _, (tangent, tangents) = jax.jvp(jax.value_and_grad(objective), (place,), (_direction(place),))
        return [tangent, *tangents]

    return list((jax.jit(moved) if compiled else moved)(place))


def _objective(
    signature: Signature, function: Function, values: Values, wanted: Callable[[object], bool]
) -> tuple[Callable[[list[object]], object], list[object]]:
    """The projection of the results as a function of the wanted leaves, and these."""
    parts = split(values, signature.static, numbers=True).only(wanted)
    return lambda leaves: projection(signature.call(function, parts.rebuild(leaves))), parts.leaves


def _direction(place: list[object]) -> list[object]:
    found = [jnp.asarray(x) for x in place]
    return [jnp.asarray(np.random.default_rng(k).standard_normal(x.shape), x.dtype) for k, x in enumerate(found)]


def tangent(signature: Signature, function: Function, values: Values) -> list[object] | None:
    """How the float outputs move when the float leaves move in a fixed random direction."""
    parts = split(values, signature.static, numbers=False).only(floating)
    if not parts.leaves:
        return None

    def outputs(floats: list[object]) -> list[object]:
        result = signature.call(function, parts.rebuild(floats))
        return [_moving(x) for x in jax.tree_util.tree_leaves(result)]

    place = [jnp.asarray(x) for x in parts.leaves]
    moved: list[object] = jax.jvp(outputs, (place,), (_direction(list(place)),))[1]
    return moved


def _moving(x: object) -> jax.Array:
    """An output that has a tangent; that of a Python number, which a loop of no trips may return, is zero."""
    return jnp.asarray(x) if floating(x) else jnp.full(shape(x), 0.0)


def projection(result: object) -> jax.Array:
    """A fixed random projection of the float outputs."""
    total = jnp.zeros(())
    for k, x in enumerate(jax.tree_util.tree_leaves(result)):
        if not (isinstance(x, jax.Array) and floating(x)):
            continue
        weights = np.random.default_rng(k).standard_normal(x.shape)
        total = total + jnp.sum(x * jnp.asarray(weights, x.dtype))
    return total
