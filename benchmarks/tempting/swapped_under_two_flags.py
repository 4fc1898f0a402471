"""Both names change at once, each reads the other's old value."""

import jax
import jax.numpy as jnp


@jax.jit
def mix(a, b, t):
    if t > 0:
        a, b = b, a + b
    elif t < -1:
        a, b = a - b, a
    return a, b


@jax.jit
def rotate(a, b, c, t):
    if t > 0:
        a = b
        b = c
        c = a
    return a, b, c


# call: mix(jnp.float32(1.0), jnp.float32(2.0), jnp.float32(1.0))
# call: mix(jnp.float32(1.0), jnp.float32(2.0), jnp.float32(-2.0))
# call: rotate(jnp.float32(1.0), jnp.float32(2.0), jnp.float32(3.0), jnp.float32(1.0))
