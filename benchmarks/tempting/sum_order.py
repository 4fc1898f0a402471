"""Sums whose order matters: huge terms that cancel, overflow on the way."""
import jax
import jax.numpy as jnp


@jax.jit
def net(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * 2
    return total


@jax.jit
def budget(x, start):
    for i in range(x.shape[0]):
        start = start - x[i]
    return start


# call: net(jnp.array([1e20, 1.0, -1e20, 1.0] * 8))
# call: net(jnp.array([3e38, -3e38, 1.0]))
# call: net(jnp.array([60000.0, 60000.0, -60000.0, -60000.0]))
# call: budget(jnp.array([0.5, 1.0]), 16777217)
# call: budget(jnp.array([1] * 40), jnp.float32(16777216.0))
