"""A name is deleted on the way, and bound again only on later trips."""

import jax
import jax.numpy as jnp


@jax.jit
def windowed(xs):
    total = 0.0
    for i in range(xs.shape[0]):
        term = xs[i] * 2
        total = total + term
        del term
    return total


@jax.jit
def remembered(xs):
    for i in range(xs.shape[0]):
        if i > 0:
            total = total + xs[i] * last
        else:
            total = xs[0] * 0
        last = xs[i]
    return total


# call: windowed(jnp.arange(12.0))
# call: windowed(jnp.arange(12))
# call: remembered(jnp.arange(12.0))
# call: remembered(jnp.array([3], dtype=jnp.int8))
