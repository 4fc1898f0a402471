"""The returns differ: a pair in one place, one value in another, a text in a third."""

import jax
import jax.numpy as jnp


@jax.jit
def roots(b, c):
    d = b * b - 4 * c
    if d < 0:
        return ()
    if d == 0:
        return -b / 2
    return (-b - jnp.sqrt(d)) / 2, (-b + jnp.sqrt(d)) / 2


@jax.jit
def roots_always_two(b, c):
    d = b * b - 4 * c
    if d < 0:
        return jnp.nan, jnp.nan
    if d == 0:
        return -b / 2, -b / 2
    return (-b - jnp.sqrt(d)) / 2, (-b + jnp.sqrt(d)) / 2


# call: roots(jnp.float32(3.0), jnp.float32(2.0))
# call: roots(jnp.float32(2.0), jnp.float32(1.0))
# call: roots(jnp.int32(0), jnp.int32(1))
# call: roots_always_two(jnp.float32(3.0), jnp.float32(2.0))
# call: roots_always_two(jnp.float32(2.0), jnp.float32(1.0))
# call: roots_always_two(jnp.float32(0.0), jnp.float32(1.0))
# call: roots_always_two(jnp.int32(3), jnp.int32(2))
# call: roots_always_two(jnp.float32(jnp.nan), 1)
