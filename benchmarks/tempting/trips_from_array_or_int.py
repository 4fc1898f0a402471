"""The number of trips is an int for one caller and an array for another."""

import jax
import jax.numpy as jnp


@jax.jit
def rotate(x, n):
    for _ in range(n):
        x = x * 5 % 17
    return x


@jax.jit
def countdown(x, n):
    while n > 0:
        x = x + n
        n = n - 1
    return x, n


def both(x, ns):
    return rotate(x, 3), rotate(x, ns[0]), rotate(x, n=len(ns))


# call: rotate(jnp.array([1, 2, 3]), 4)
# call: rotate(jnp.array([1, 2, 3]), jnp.int32(4))
# call: rotate(jnp.array([1, 2, 3]), -2)
# call: rotate(jnp.array([3, 2], dtype=jnp.int8), True)
# call: countdown(jnp.int32(0), 5)
# call: countdown(jnp.int8(0), jnp.int8(5))
# call: countdown(jnp.uint8(250), 0)
# call: both(jnp.array([9]), jnp.array([2, 4, 6]))
