"""A Python division by zero raises and is caught, a division of arrays gives inf."""

import math

import jax
import jax.numpy as jnp


def inverse_weights(x: jax.Array, n):
    total = x
    for i in range(n):
        try:
            w = 1 / (i - 3)
        except ZeroDivisionError:
            w = 100.0
        total = total * 0.5 + w
    return total


def overflowing(xs: jax.Array):
    out = []
    for x in xs:
        try:
            out.append(math.exp(float(x)))
        except OverflowError:
            out.append(-1.0)
    return out


@jax.jit
def safe(x):
    total = x
    for i in range(10):
        w = 1 / (i + 3)
        total = total * 0.5 + w
    return total


# call: inverse_weights(jnp.array([1.0, 2.0]), 8)
# call: inverse_weights(jnp.int32(3), 2)
# call: inverse_weights(jnp.int32(3), 0)
# call: overflowing(jnp.array([0.0, 1000.0, -1000.0]))
# call: overflowing(jnp.array([jnp.nan, jnp.inf]))
# call: safe(jnp.array([1.0, jnp.inf]))
# call: safe(jnp.array([1, 2], dtype=jnp.int8))
