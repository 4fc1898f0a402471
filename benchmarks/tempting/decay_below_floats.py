"""A weight of Python falls far below what 32 bits hold, and a big constant brings it back."""

import jax
import jax.numpy as jnp


@jax.jit
def faded(x):
    weight = 1.0
    for _ in range(200):
        weight = weight * 0.5
        x = x * 0.99 + weight
    return x + weight * 1e60


@jax.jit
def fan_out(x):
    for i in range(40):
        x = x + jnp.cos(x) / (1 << i) + i**7 / 1e12
    return x


# call: faded(jnp.ones(2))
# call: fan_out(jnp.zeros(2))
# call: fan_out(jnp.zeros((), jnp.int32))
