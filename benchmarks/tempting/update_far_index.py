"""Indices computed from the counter run over the edge and back from the end."""

import jax
import jax.numpy as jnp


@jax.jit
def shifted(x):
    out = jnp.zeros_like(x)
    n = x.shape[0]
    for i in range(n):
        out = out.at[i].set(x[i - 1] + x[(i + 1) % n] - 2 * x[i])
    return out


@jax.jit
def stencil(x):
    y = x
    for i in range(20):
        y = y.at[i].add(x[i - 3] * 0.5)
    return y


# call: shifted(jnp.arange(24.0) ** 2)
# call: shifted(jnp.ones(1))
# call: stencil(jnp.arange(24.0))
# call: stencil(jnp.arange(5.0))
