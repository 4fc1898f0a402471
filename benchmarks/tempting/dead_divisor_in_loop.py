"""The guarded quotient in a loop, differentiated."""

import jax
import jax.numpy as jnp


@jax.jit
def normalise_rows(x, rounds):
    for _ in range(24):
        s = jnp.sum(jnp.abs(x))
        if s > 0:
            x = x / s
        else:
            x = x * 0.5
    return x


@jax.jit
def saturate(x):
    while x > 1.0:
        x = jnp.sqrt(x - 1.0) if x > 2.0 else x - 1.0
    return x


# call: normalise_rows(jnp.zeros(3), 2)
# call: normalise_rows(jnp.array([1.0, -3.0]), 2)
# call: saturate(jnp.float32(1e20))
# call: saturate(jnp.float32(2.0))
