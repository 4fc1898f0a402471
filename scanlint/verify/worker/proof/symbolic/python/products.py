"""Products of several arrays, whose order JAX chooses by their sizes: the same call gives the same, nothing else is
known of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import jax
import jax.numpy as jnp

from ..polynomials import NotProved
from .same_values import primitive

NAME = "product_of_several"


def _type_of(*arrays: Any, spec: str) -> object:
    pairwise: list[tuple[int, ...]] = [(0, 1)] * (len(arrays) - 1)
    given = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in arrays]  # type: ignore[no-untyped-call, unused-ignore]
    found = jax.eval_shape(lambda *xs: jnp.einsum(spec, *xs, optimize=pairwise), *given)
    return arrays[0].update(shape=found.shape, dtype=found.dtype, weak_type=False)


_primitive = primitive(NAME, _type_of)


def product(spec: object, arrays: Sequence[object]) -> jax.Array:
    if not isinstance(spec, str) or not all(isinstance(x, jax.Array) and not x.weak_type for x in arrays):
        raise NotProved("a product of several arrays that is told otherwise than by letters")
    return cast("jax.Array", _primitive.bind(*arrays, spec=spec))  # type: ignore[no-untyped-call]
