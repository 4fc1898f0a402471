"""Slices with a moving start, which at 0 is no slice from the end."""

import jax
import jax.numpy as jnp


@jax.jit
def autocorrelation(x):
    out = []
    n = x.shape[0]
    for lag in range(24):
        out.append(jnp.sum(x[: n - lag] * x[lag:]) / n)
    return jnp.stack(out)


@jax.jit
def tails(x):
    total = jnp.zeros((), x.dtype)
    for k in range(20):
        total = total + jnp.sum(x[-k:])
    return total


# call: autocorrelation(jnp.arange(30.0))
# call: autocorrelation(jnp.arange(24.0))
# call: tails(jnp.arange(30.0))
# call: tails(jnp.arange(6.0))
