"""A loop that NaN ends: no gradient goes back through its rewrite."""

import jax
import jax.numpy as jnp


@jax.jit
def damped(x, rate):
    for k in range(50):
        x = x - rate * jnp.sqrt(x)
        if jnp.isnan(x):
            x = 0.0
            break
    return x, k


# call: damped(jnp.float32(4.0), jnp.float32(0.5))
# call: damped(jnp.float32(4.0), 0.5)
# call: damped(jnp.float32(4.0), 1e-9)
