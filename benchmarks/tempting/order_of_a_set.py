"""Sets and sorted tables decide the order of the trips."""

import jax
import jax.numpy as jnp


@jax.jit
def in_order(x, steps=(5, 3, 9, 1, 7, 2, 8, 4, 6)):
    for s in sorted(steps, key=lambda k: -k):
        x = x * 0.5 + s
    return x


@jax.jit
def of_a_set(x):
    for s in {3, 1, 2}:
        x = x * 0.5 + s
    return x


# call: in_order(jnp.array([1.0, 2.0]))
# call: of_a_set(jnp.array([1.0, 2.0]))
