"""A polynomial whose derivative overflows where it is not taken."""

import jax
import jax.numpy as jnp


@jax.jit
def bounded(x):
    return 0.5 * x**10 if jnp.abs(x) < 2 else 2.0 * x


# call: bounded(jnp.float32(1e5))
# call: bounded(jnp.float32(1.0))
