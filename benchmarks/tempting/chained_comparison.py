"""A chain of comparisons, closed on one side."""

import jax
import jax.numpy as jnp


@jax.jit
def window(t, lo, hi):
    if lo <= t < hi:
        return jnp.sin(jnp.pi * (t - lo) / (hi - lo)) ** 2
    else:
        return jnp.zeros_like(t)


# call: window(jnp.float32(1.0), jnp.float32(0.0), jnp.float32(1.0))
# call: window(jnp.float32(0.5), jnp.float32(0.5), jnp.float32(0.5))
# call: window(jnp.float32(jnp.nan), jnp.float32(0.0), jnp.float32(1.0))
# call: window(jnp.float32(0.25), 0, 1)
