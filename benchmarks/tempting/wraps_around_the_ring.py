"""Index -1 is the last cell, and the cell after the last is the first only by its modulo."""

import jax
import jax.numpy as jnp


@jax.jit
def ring(x):
    total = 0
    for i in range(x.shape[0]):
        total = total + x[i - 1] * x[(i + 1) % x.shape[0]] - x[-i - 1]
    return total


@jax.jit
def backwards(x):
    acc = x[0] * 0
    for i in range(x.shape[0] - 1, -1, -2):
        acc = acc * 2 + x[i]
    return acc, i


# call: ring(jnp.array([1.0, 2.0, -3.0, 4.0, 0.5, 6.0, 7.0, 8.0, 9.0]))
# call: ring(jnp.array([100, 3, -100, 7], dtype=jnp.int8))
# call: ring(jnp.array([2.0]))
# call: ring(jnp.zeros((0, 2)))
# call: backwards(jnp.arange(12))
# call: backwards(jnp.arange(11, dtype=jnp.uint8))
# call: backwards(jnp.array([[0.5, 1.0]]))
