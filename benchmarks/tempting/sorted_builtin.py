"""sorted of three traced numbers, then a test on the middle one."""

import jax
import jax.numpy as jnp


@jax.jit
def median3(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return b


# call: median3(jnp.float32(3.0), jnp.float32(1.0), jnp.float32(2.0))
# call: median3(jnp.float32(jnp.nan), jnp.float32(1.0), jnp.float32(0.0))
# call: median3(3, jnp.float32(1.5), jnp.int32(2))
# call: median3(jnp.ones(()), jnp.ones(()), jnp.ones(()))
