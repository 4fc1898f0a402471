"""Time adds up in Python's doubles; its sine is taken at a high frequency."""

import jax
import jax.numpy as jnp


@jax.jit
def driven(x):
    t = 0.0
    dt = 0.1
    for _ in range(600):
        t = t + dt
        x = 0.5 * x + jnp.sin(1.0e5 * t)
    return x, t


# call: driven(jnp.ones(2))
# call: driven(jnp.zeros(2, jnp.int32))
