"""Whole numbers divide downwards, also negative ones, and by zero."""

import jax
import jax.numpy as jnp


@jax.jit
def reduce_by(x, k):
    total = 0
    for i in range(1, 12):
        total = total + (x // i) * k - x % i
    return total


@jax.jit
def half_or_more(n):
    if n % 2 == 0:
        n = n // 2
    else:
        n = 3 * n + 1
    return n


# call: reduce_by(jnp.int32(-37), 2)
# call: reduce_by(jnp.float32(-37.5), 2)
# call: half_or_more(jnp.int32(-7))
# call: half_or_more(jnp.float32(7.5))
# call: half_or_more(jnp.int8(127))
