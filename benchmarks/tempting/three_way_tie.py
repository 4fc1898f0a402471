"""Of equal ones the first stays, and its place with it."""

import jax
import jax.numpy as jnp


@jax.jit
def podium(a, b, c):
    best, who = a, 0
    if b > best:
        best, who = b, 1
    if c > best:
        best, who = c, 2
    return best, who


# call: podium(jnp.float32(1.0), jnp.float32(1.0), jnp.float32(1.0))
# call: podium(jnp.float32(1.0), jnp.float32(2.0), jnp.float32(2.0))
# call: podium(jnp.float32(jnp.nan), jnp.float32(2.0), jnp.float32(3.0))
# call: podium(jnp.int32(1), jnp.int32(2), jnp.int32(3))
