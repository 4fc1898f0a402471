"""The limit of an iteration is an array, a number or None."""

import jax
import jax.numpy as jnp


@jax.jit
def settle(x, tol=None, most=50):
    n = 0
    while n < most and (tol is None or jnp.max(jnp.abs(jnp.cos(x) - x)) > tol):
        x = jnp.cos(x)
        n = n + 1
    return x, n


# call: settle(jnp.array([1.0, 2.0]))
# call: settle(jnp.array([1.0, 2.0]), 1e-3)
# call: settle(jnp.float32(1.0), jnp.float32(1e-2), most=3)
# call: settle(jnp.array([jnp.nan]), 1e-3)
