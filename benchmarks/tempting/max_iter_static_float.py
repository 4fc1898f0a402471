"""max_iter comes as a float, an array or nothing."""

import jax
import jax.numpy as jnp


@jax.jit
def jacobi(a, b, max_iter):
    x = jnp.zeros_like(b)
    i = 0
    while i < max_iter:
        x = (b - (a - jnp.diag(jnp.diag(a))) @ x) / jnp.diag(a)
        i = i + 1
    return x, i


# call: jacobi(jnp.eye(2) * 4 + 1, jnp.ones(2), 0)
# call: jacobi(jnp.eye(2) * 4 + 1, jnp.ones(2), 7.5)
# call: jacobi(jnp.eye(2) * 4 + 1, jnp.array([1, 2]), 3)
# call: jacobi(jnp.eye(2) * 4 + 1, jnp.ones(2), -3)
