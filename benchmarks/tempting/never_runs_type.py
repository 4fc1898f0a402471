"""A loop that may not run keeps the integer it started with."""

import jax
import jax.numpy as jnp


@jax.jit
def collatz_like(x, limit):
    total = 0
    while x < limit:
        total = total + 0.5 * x
        x = x * 2
    return total, x


# call: collatz_like(jnp.float32(1.0), 100.0)
# call: collatz_like(jnp.float32(200.0), 100.0)
# call: collatz_like(jnp.int32(3), 50)
# call: collatz_like(jnp.float32(1.0), jnp.float32(jnp.nan))
