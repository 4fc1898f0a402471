"""Doubling keeps whole numbers whole; a power of a float does not."""

import jax
import jax.numpy as jnp


@jax.jit
def horner(bits):
    value = 0
    for b in bits:
        value = value * 2 + b
    return value


@jax.jit
def weights(bits):
    value = 0
    for i in range(len(bits)):
        value = value + bits[i] * 2**i
    return value


# call: horner(jnp.array([1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1]))
# call: horner(jnp.array([True, False, True]))
# call: horner(jnp.array([1, 1, 1, 1, 1, 1, 1, 1, 1], dtype=jnp.uint8))
# call: weights(jnp.array([1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1]))
# call: weights(jnp.array([1.0, 0.5, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], dtype=jnp.float16))
