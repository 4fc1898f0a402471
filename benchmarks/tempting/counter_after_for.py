"""The loop variable is read after the loop, and after a break."""

import jax
import jax.numpy as jnp


@jax.jit
def first_above(x, level):
    total = jnp.zeros((), x.dtype)
    for i in range(x.shape[0]):
        total = total + x[i]
        if total > level:
            break
    return i, total


# call: first_above(jnp.arange(40.0), 10.0)
# call: first_above(jnp.arange(40.0), 1e20)
# call: first_above(jnp.arange(40), 0)
# call: first_above(jnp.full(33, jnp.nan), 0.0)
