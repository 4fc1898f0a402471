"""The norm at nought has no gradient; the arm that is not taken has."""

import jax
import jax.numpy as jnp


@jax.jit
def unit(v):
    n = jnp.linalg.norm(v)
    if n == 0:
        return v
    return v / n


@jax.jit
def rotation_angle(v):
    s = jnp.sum(v * v)
    if s < 1e-12:
        return 1 - s / 6
    theta = jnp.sqrt(s)
    return jnp.sin(theta) / theta


# call: unit(jnp.zeros(3))
# call: unit(jnp.array([1e20, 0.0, 0.0]))
# call: rotation_angle(jnp.zeros(3))
# call: rotation_angle(jnp.array([1.0, 2.0, 2.0]))
