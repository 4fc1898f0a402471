"""Whole numbers of 8 bits wrap, and the sum of them does not."""

import jax
import jax.numpy as jnp


@jax.jit
def checksum(bytes_):
    a = 1
    b = 0
    for byte in bytes_:
        a = (a + byte) % 251
        b = b + a
    return a, b


# call: checksum(jnp.arange(40, dtype=jnp.uint8))
# call: checksum(jnp.arange(40, dtype=jnp.int32) * 10_000_000)
# call: checksum(jnp.linspace(0.0, 5.0, 40))
# call: checksum(jnp.ones(40, bool))
