"""A do-while written as `while True`, its test at the end."""

import jax
import jax.numpy as jnp


@jax.jit
def power_iteration(a, v):
    trips = 0
    while True:
        w = a @ v
        w = w / jnp.linalg.norm(w)
        gap = jnp.max(jnp.abs(w - v))
        v = w
        trips += 1
        if gap < 1e-5 or trips >= 50:
            break
    return v, trips, gap


# call: power_iteration(jnp.array([[2.0, 1.0], [1.0, 3.0]]), jnp.array([1.0, 0.0]))
# call: power_iteration(jnp.zeros((2, 2)), jnp.array([1.0, 0.0]))
# call: power_iteration(jnp.eye(2), jnp.array([1.0, 0.0]))
