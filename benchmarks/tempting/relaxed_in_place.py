"""Each point is relaxed from a left neighbour already relaxed and a right one not yet: not all at once."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def sweep(u):
    for i in range(1, u.shape[0] - 1):
        u = u.at[i].set((u[i - 1] + u[i + 1]) // 2 if u.dtype == jnp.int32 else (u[i - 1] + u[i + 1]) * 0.5)
    return u


def sweep_host(u):
    for i in range(1, len(u) - 1):
        u[i] = (u[i - 1] + u[i + 1]) / 2
    return u


@jax.jit
def sweep_from_old(u):
    v = u
    for i in range(1, u.shape[0] - 1):
        v = v.at[i].set(u[i - 1] - u[i + 1])
    return v


# call: sweep(jnp.array([8.0, 0.0, 4.0, 0.0, 2.0, 0.0, 16.0]))
# call: sweep(jnp.array([8, 0, 4, -7, 2, 0, 16], dtype=jnp.int32))
# call: sweep(jnp.ones(2))
# call: sweep_host(np.array([8, 0, 4, -7, 2, 0, 16]))
# call: sweep_host([8, 0, 5])
# call: sweep_from_old(jnp.array([100, 1, -100, 3, 50], dtype=jnp.int8))
# call: sweep_from_old(jnp.array([[1.0, 2.0], [jnp.nan, 0.0], [3.0, 3.0]]))
