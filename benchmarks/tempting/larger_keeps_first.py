"""The larger of two that may be of different types, the second one where neither is."""

import jax
import jax.numpy as jnp


@jax.jit
def larger(a, b):
    if a > b:
        return a
    return b

# call: larger(jnp.float32(jnp.nan), jnp.float32(1.0))
# call: larger(jnp.float32(1.0), jnp.float32(jnp.nan))
# call: larger(jnp.int32(3), jnp.float32(2.5))
# call: larger(jnp.float32(0.0), jnp.float32(-0.0))
# call: larger(jnp.float32(2.0), jnp.float32(2.0))
# call: larger(jnp.int8(2), jnp.uint8(200))
