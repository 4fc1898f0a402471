"""`max` by a key gives the first of equal ones, and the element, not its key."""

import jax
import jax.numpy as jnp


def farthest(rows: jax.Array, centre):
    return max(rows, key=lambda r: float(jnp.sum((r - centre) ** 2)))


def first_above(xs: jax.Array, limit):
    return next((i for i, x in enumerate(xs) if x > limit), -1)


# call: farthest(jnp.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]), 0.0)
# call: first_above(jnp.arange(12.0), 7.5)
# call: first_above(jnp.arange(12.0), 70)
