"""Pairs are put in order, with NaN and equal ones among them."""

import jax
import jax.numpy as jnp


@jax.jit
def sort3(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a, b, c


# call: sort3(jnp.float32(3.0), jnp.float32(1.0), jnp.float32(2.0))
# call: sort3(jnp.float32(3.0), jnp.float32(jnp.nan), jnp.float32(2.0))
# call: sort3(3, jnp.float32(1.0), 2)
# call: sort3(jnp.int8(3), jnp.int8(-128), jnp.int8(127))
