"""The second half of a test is only asked where the first allows it."""

import jax
import jax.numpy as jnp


@jax.jit
def safe_ratio(a, b):
    if b != 0 and a / b > 1:
        return a / b
    return jnp.ones_like(a)


@jax.jit
def in_table(table, i):
    if i >= 0 and i < len(table) and table[i] > 0:
        i = i + 1
    return i


# call: safe_ratio(jnp.float32(3.0), jnp.float32(0.0))
# call: safe_ratio(jnp.float32(3.0), jnp.float32(2.0))
# call: safe_ratio(jnp.int32(3), jnp.int32(2))
# call: in_table(jnp.array([1.0, -1.0]), 0)
# call: in_table(jnp.array([1.0, -1.0]), jnp.int32(5))
# call: in_table(jnp.array([1.0, -1.0]), jnp.int32(-1))
