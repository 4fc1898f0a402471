"""Bits of Python ints and of arrays, counted in loops."""
import jax
import jax.numpy as jnp


def popcount(n):
    c = 0
    while n:
        n = n & (n - 1)
        c = c + 1
    return c


@jax.jit
def popcounts(x):
    c = jnp.zeros_like(x)
    for k in range(8):
        c = c + ((x >> k) & 1)
    return c


@jax.jit
def gray_masks(x):
    out = x
    for k in range(36):
        mask = (1 << k) ^ ((1 << k) >> 1)
        out = out + mask % 7
    return out


# call: popcount(2**45 + 2**33 + 1)
# call: popcounts(jnp.array([255, 128, 3], dtype=jnp.uint8))
# call: popcounts(jnp.array([-1, 7], dtype=jnp.int32))
# call: gray_masks(jnp.array([1.0, 2.0]))
