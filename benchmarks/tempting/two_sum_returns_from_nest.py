"""Out of the inner loop with a return: the first pair counts, not the last one, and the inner one runs from i + 1."""

import jax
import jax.numpy as jnp


@jax.jit
def first_pair(xs, goal):
    for i in range(xs.shape[0]):
        for j in range(i + 1, xs.shape[0]):
            if xs[i] + xs[j] == goal:
                return i, j
    return -1, -1


@jax.jit
def first_repeat(xs):
    for i in range(1, xs.shape[0]):
        for j in range(i):
            if xs[j] == xs[i]:
                return xs[i]
    return xs[0] * 0 - 1


# call: first_pair(jnp.array([5, 1, 4, 2, 3]), 6)
# call: first_pair(jnp.array([5, 1, 4, 2, 3]), 100)
# call: first_pair(jnp.array([100, 100, 28, 28], dtype=jnp.int8), -128)
# call: first_pair(jnp.array([3]), 6)
# call: first_repeat(jnp.array([3, 1, 2, 1, 3]))
# call: first_repeat(jnp.array([200, 7], dtype=jnp.uint8))
# call: first_repeat(xs=jnp.array([jnp.nan, jnp.nan, 0.0, -0.0]))
