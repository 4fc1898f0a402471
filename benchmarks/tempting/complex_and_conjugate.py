"""A real state becomes complex in the loop or in one arm."""

import jax
import jax.numpy as jnp


@jax.jit
def spiral(z, n=12):
    w = 0.0
    for k in range(n):
        w = w * 0.5 + z * 1j**k
    return w


@jax.jit
def upper(z):
    if z.imag < 0:
        z = jnp.conj(z)
    return z


# call: spiral(jnp.float32(1.5))
# call: spiral(jnp.complex64(1 + 2j))
# call: upper(jnp.complex64(1 - 2j))
# call: upper(jnp.float32(3.0))
