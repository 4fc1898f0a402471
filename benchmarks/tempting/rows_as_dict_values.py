"""Rows by name: a dict of arrays, iterated in order of insertion, its keys returned."""

import jax
import jax.numpy as jnp


@jax.jit
def penalties(params):
    total = 0
    for name, value in params.items():
        if name.startswith("w"):
            total = total + jnp.sum(value**2)
    return total


@jax.jit
def doubled(params):
    return {name: value * 2 for name, value in params.items()}


# call: penalties({"w1": jnp.ones((2, 2)), "b1": jnp.ones(2), "w0": jnp.ones(3)})
# call: penalties({})
# call: doubled({"w": jnp.ones(2), "a": jnp.ones(2)})
# call: doubled({"w": jnp.ones(2, jnp.int32), "a": jnp.ones((3, 3))})
