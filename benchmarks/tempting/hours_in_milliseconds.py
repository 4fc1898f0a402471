"""A stamp in milliseconds leaves 32 bits after 596 hours."""

import jax
import jax.numpy as jnp


@jax.jit
def phase(x):
    for i in range(700):
        stamp = i * 3_600_000
        x = x + jnp.sin(stamp / 1.0e9)
    return x


# call: phase(jnp.ones(3))
