"""A running hash in Python ints, longer than any word, chooses what is read."""

import jax
import jax.numpy as jnp


@jax.jit
def scrambled(table):
    h, out = 7, 0
    for i in range(20):
        h = h * 6364136223846793005 + 1442695040888963407 + i
        out = out * 3 + table[(h >> 70) % table.shape[0]]
    return out


@jax.jit
def scrambled_short(table):
    h, out = 7, 0
    for i in range(20):
        h = (h * 75 + 74 + i) % 65537
        out = out * 3 + table[h % table.shape[0]]
    return out, h


# call: scrambled(jnp.array([1, 2, 3, 4, 5]))
# call: scrambled(jnp.array([1, 2, 3], dtype=jnp.uint8))
# call: scrambled(jnp.array([0.5]))
# call: scrambled_short(jnp.array([1, 2, 3, 4, 5]))
# call: scrambled_short(jnp.array([1, 2, 3], dtype=jnp.int8))
# call: scrambled_short(jnp.array([True, False]))
