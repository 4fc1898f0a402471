"""What NumPy gives on the host is NumPy's, in NumPy's types, also where an array of JAX went in."""

import jax
import jax.numpy as jnp
import numpy as np


def spread(x):
    a = np.asarray(x)
    return np.max(a) - np.min(a), np.mean(a)


def cumulated(xs: jax.Array):
    out = np.zeros(len(xs))
    acc = 0
    for i, x in enumerate(xs):
        acc = acc + np.asarray(x)
        out[i] = acc
    return out


@jax.jit
def deviation(x):
    return (x - jnp.mean(x)) / np.sqrt(jnp.mean(x * x) + 1)


# call: spread(jnp.array([100, -100], dtype=jnp.int8))
# call: spread(np.array([1.0, 2.0]))
# call: spread([3, -2.5])
# call: cumulated(jnp.array([200, 100, 3], dtype=jnp.uint8))
# call: cumulated(jnp.zeros((0,)))
# call: cumulated(jnp.array([0.5, jnp.nan, 1.0]))
# call: deviation(jnp.array([1, 2, 3], dtype=jnp.int8))
# call: deviation(jnp.array([0.5]))
