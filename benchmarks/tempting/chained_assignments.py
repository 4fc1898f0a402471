"""Several names are bound at once, and targets are evaluated from left to right."""

import jax
import jax.numpy as jnp


@jax.jit
def both(x):
    a = b = x
    for i in range(12):
        a = b = a * 0.5 + b + i
        b += a
    return a, b


@jax.jit
def places(x):
    i = 0
    y = x
    for _ in range(8):
        i, y = i + 1, y.at[i].set(y[i] + i)
    return i, y


# call: both(jnp.array([1.0, 2.0]))
# call: both(jnp.int8(3))
# call: places(jnp.arange(8.0))
# call: places(jnp.arange(9, dtype=jnp.int8))
