"""Arms that give whole numbers another type each, chosen by a number between those that are named."""

import jax
import jax.numpy as jnp


@jax.jit
def with_hole(k, x):
    if k == 0:
        return x + 1.0
    elif k == 2:
        return x * 2.0
    elif k == 3:
        return -x
    return x


@jax.jit
def padded(x, width):
    if width > 0:
        return jnp.pad(x, width)
    return x


@jax.jit
def lookup(table, i):
    if i < 0:
        i = 0
    if i > len(table) - 1:
        i = len(table) - 1
    return table[i]


# call: with_hole(jnp.int32(1), jnp.float32(3.0))
# call: with_hole(jnp.int32(3), jnp.array([1, 2]))
# call: with_hole(jnp.uint8(2), jnp.float32(3.0))
# call: padded(jnp.float32(3.0), 2)
# call: lookup(jnp.array([1.0, 2.0]), jnp.int32(7))
# call: lookup(jnp.array([1.0, 2.0]), jnp.int32(-7))
