"""Pairs above the diagonal only."""

import jax
import jax.numpy as jnp


@jax.jit
def pair_energy(x):
    energy = jnp.zeros((), x.dtype)
    n = x.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            r = jnp.linalg.norm(x[i] - x[j])
            energy = energy + 1.0 / r
    return energy


@jax.jit
def lower(x):
    out = jnp.zeros((x.shape[0], x.shape[0]), x.dtype)
    for i in range(x.shape[0]):
        for j in range(i):
            out = out.at[i, j].set(x[i] * x[j])
    return out


# call: pair_energy(jnp.arange(24.0).reshape(12, 2) ** 1.5)
# call: pair_energy(jnp.ones((1, 2)))
# call: lower(jnp.arange(12.0))
# call: lower(jnp.arange(1.0))
