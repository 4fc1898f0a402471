"""A convergence test that NaN ends."""

import jax
import jax.numpy as jnp


@jax.jit
def root(a, x):
    err = jnp.abs(x * x - a)
    n = 0
    while err > 1e-6:
        x = 0.5 * (x + a / x)
        err = jnp.abs(x * x - a)
        n += 1
        if n == 30:
            break
    return x, n


# call: root(jnp.float32(2.0), jnp.float32(1.0))
# call: root(jnp.float32(2.0), jnp.float32(0.0))
# call: root(jnp.float32(jnp.nan), jnp.float32(1.0))
# call: root(4, jnp.float32(2.0))
