"""A name is only set in one arm, and its older value has another type."""

import jax
import jax.numpy as jnp


@jax.jit
def update(x, best):
    score = jnp.sum(x)
    count = 0
    if score > best:
        best = score
        count = count + 1
        winner = x
    else:
        winner = None
    if winner is None:
        winner = jnp.zeros_like(x)
    return winner, best, count


# call: update(jnp.array([1.0, 2.0]), jnp.float32(2.0))
# call: update(jnp.array([1.0, 2.0]), 5)
# call: update(jnp.array([1, 2]), jnp.float32(2.5))
