"""Two indices, one of them the trip, one an axis of length one."""

import jax
import jax.numpy as jnp


@jax.jit
def trace(m):
    t = 0
    for i in range(m.shape[0]):
        t = t + m[i, i]
    return t


@jax.jit
def anti(m):
    t = 0
    for i in range(m.shape[0]):
        t = t + m[i, -1 - i]
    return t


# call: trace(jnp.arange(81.0).reshape(9, 9))
# call: trace(jnp.arange(18).reshape(9, 2))
# call: trace(jnp.arange(4, dtype=jnp.int8).reshape(2, 2))
# call: anti(jnp.arange(81.0).reshape(9, 9))
# call: trace(jnp.ones((3, 3, 2), jnp.bfloat16))
