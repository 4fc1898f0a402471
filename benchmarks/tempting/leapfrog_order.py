"""The new speed is used for the new place, but not the other way about; one line swaps both at once."""

import jax
import jax.numpy as jnp


@jax.jit
def leapfrog(x, v, h=0.25):
    for _ in range(12):
        v = v - h * x
        x = x + h * v
    return x, v


@jax.jit
def euler(x, v, h=0.25):
    for _ in range(12):
        x, v = x + h * v, v - h * x
    return x, v


@jax.jit
def chained(x):
    a = b = x
    for i in range(12):
        a = b = a * 0.5 + b * 0.25 - i
        b += 1
    return a, b


# call: leapfrog(jnp.float32(1.0), jnp.float32(0.0))
# call: leapfrog(1, jnp.array([0.5, 1.0]))
# call: leapfrog(jnp.ones(2, jnp.float16), jnp.float32(0.0))
# call: euler(jnp.array([1.0, jnp.nan]), 0)
# call: euler(jnp.int32(8), jnp.int32(4), 2)
# call: chained(jnp.array([1.0, -4.0]))
# call: chained(jnp.int32(4))
