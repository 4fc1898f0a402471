"""Rows look at their neighbours, with an edge that clamps and one that wraps."""

import jax
import jax.numpy as jnp


@jax.jit
def laplacian(x):
    out = []
    n = x.shape[0]
    for i in range(n):
        left = x[max(i - 1, 0)]
        right = x[min(i + 1, n - 1)]
        out.append(left - 2 * x[i] + right if 0 < i < n - 1 else 0 * x[i])
    return jnp.stack(out)


@jax.jit
def differences(x):
    return jnp.stack([x[i] - x[i - 1] for i in range(x.shape[0])])


# call: laplacian(jnp.arange(20.0) ** 2)
# call: laplacian(jnp.ones((1, 2)))
# call: differences(jnp.arange(20.0) ** 2)
# call: differences(jnp.array([jnp.inf, jnp.inf, 1.0]))
