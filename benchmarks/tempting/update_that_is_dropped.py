"""`.at[].set` gives a new array; where nobody takes it, nothing has changed."""

import jax
import jax.numpy as jnp


@jax.jit
def unchanged(x):
    y = x
    for i in range(12):
        y.at[i].set(0.0)
        y = y * 0.5 + i
    return y


@jax.jit
def old_rows(x):
    y = x
    for i in range(12):
        z = y.at[i].add(1.0)
        y = y * 0.5 + z[i - 1]
    return y


# call: unchanged(jnp.arange(12.0))
# call: old_rows(jnp.arange(12.0))
# call: old_rows(jnp.arange(12))
