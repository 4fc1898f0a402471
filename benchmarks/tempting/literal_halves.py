"""Comparison with a constant that is not the same in half precision or integers."""

import jax
import jax.numpy as jnp


@jax.jit
def tenth(x):
    if x == 0.1:
        return x * 0
    if x > 70000:
        return x * 2
    return x + 1


@jax.jit
def threshold(n):
    if n > 2.5:
        return n - 2.5
    return n


# call: tenth(jnp.float16(0.1))
# call: tenth(jnp.int16(3))
# call: threshold(jnp.int32(3))
# call: threshold(jnp.int32(2))
