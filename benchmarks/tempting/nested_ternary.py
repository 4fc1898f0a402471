"""Ternaries in ternaries with guarded roots."""

import jax
import jax.numpy as jnp


@jax.jit
def inverse_kernel(r, h):
    return (1 / jnp.sqrt(r) if r > h else (2.0 / h if r > 0 else jnp.sqrt(-r) if r < 0 else 0 * r))


@jax.jit
def kernel_slope(r):
    return jax.grad(lambda v: inverse_kernel(v, 0.5))(r)


# call: inverse_kernel(jnp.float32(0.0), 0.5)
# call: inverse_kernel(jnp.float32(2.0), 0.5)
# call: inverse_kernel(jnp.float32(-2.0), 0.5)
# call: inverse_kernel(jnp.float32(0.1), jnp.float32(0.0))
