"""Three numbers of different types in order."""

import jax
import jax.numpy as jnp


@jax.jit
def sort3(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a, b, c

# call: sort3(3.0, 2.0, 1.0)
# call: sort3(jnp.float32(3), jnp.int32(2), jnp.float32(jnp.nan))
# call: sort3(jnp.int8(3), jnp.int8(2), jnp.int8(5))
