"""The else of a for runs where nothing broke."""

import jax
import jax.numpy as jnp


@jax.jit
def search(xs, x):
    where = -1
    for i in range(xs.shape[0]):
        if xs[i] == x:
            where = i
            break
    else:
        x = x * 0
    return where, x


# call: search(jnp.arange(40.0), jnp.float32(3.0))
# call: search(jnp.arange(40.0), jnp.float32(77.0))
# call: search(jnp.zeros(40), 0)
# call: search(jnp.arange(40.0), jnp.float32(jnp.nan))
