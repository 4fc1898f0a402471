"""Integer division by nothing is guarded, and the remainder has Python's sign."""

import jax
import jax.numpy as jnp


@jax.jit
def ratio(n, d):
    if d == 0:
        return 0, n
    q = n // d
    if q < 0:
        q = q + 1
    return q, n - q * d


# call: ratio(jnp.int32(7), jnp.int32(0))
# call: ratio(jnp.int32(-7), jnp.int32(2))
# call: ratio(jnp.float32(7.5), jnp.float32(0.0))
# call: ratio(jnp.int8(-128), jnp.int8(-1))
