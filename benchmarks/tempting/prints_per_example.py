"""A function that prints once per example."""

import jax
import jax.numpy as jnp


def solve(a, b):
    x = jnp.linalg.solve(a, b)
    print("residual shape", x.shape)
    return x


def solve_all(mats: jax.Array, b: jax.Array):
    return jnp.stack([solve(mats[i], b[i]) for i in range(mats.shape[0])])


# call: solve_all(jnp.eye(2)[None] * jnp.arange(1.0, 4.0)[:, None, None], jnp.ones((3, 2)))
# call: solve_all(jnp.eye(2)[None], jnp.ones((1, 2)))
