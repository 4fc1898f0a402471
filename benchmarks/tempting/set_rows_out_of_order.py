"""Rows are written out of order, twice, and some not at all."""

import jax
import jax.numpy as jnp


@jax.jit
def scatter(x, index):
    out = jnp.full((x.shape[0], 2), -1, x.dtype)
    for i in range(x.shape[0]):
        out = out.at[index[i]].set(jnp.stack([x[i], x[i] ** 2]))
    return out


@jax.jit
def skip(x):
    out = x
    for i in range(1, x.shape[0], 2):
        out = out.at[i].set(out[i - 1] * 2 + x[i])
    return out


# call: scatter(jnp.arange(20.0), jnp.arange(20) % 3)
# call: scatter(jnp.arange(20.0), jnp.arange(20) - 25)
# call: scatter(jnp.arange(20), jnp.arange(20)[::-1])
# call: skip(jnp.arange(21.0))
