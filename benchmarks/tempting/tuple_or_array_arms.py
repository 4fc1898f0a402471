"""Arms give tuples of different kinds, and an untouched argument."""

import jax
import jax.numpy as jnp


@jax.jit
def polar(x, y):
    if x == 0 and y == 0:
        return 0, 0.0
    r = jnp.sqrt(x * x + y * y)
    return r, jnp.arctan2(y, x)


@jax.jit
def swap(a, b):
    if a > b:
        return b, a
    return a, b


# call: polar(jnp.float32(0.0), jnp.float32(0.0))
# call: polar(jnp.float32(3.0), 4)
# call: swap(jnp.float32(2.0), jnp.int32(1))
# call: swap(jnp.int32(2), 1)
