"""Whole numbers are halved until nothing is left, with Python's shift of negative ones."""

import jax
import jax.numpy as jnp


@jax.jit
def popcount(n):
    count = 0
    while n > 0:
        count = count + (n & 1)
        n = n >> 1
    return count


@jax.jit
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


# call: popcount(jnp.int32(255))
# call: popcount(jnp.uint8(255))
# call: gcd(jnp.int32(-12), jnp.int32(18))
# call: gcd(jnp.float32(12.0), 18)
