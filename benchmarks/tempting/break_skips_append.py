"""The trip that breaks appends nothing."""

import jax
import jax.numpy as jnp


def trajectory(x: jax.Array, rate):
    path = []
    for i in range(30):
        step = rate * jnp.tanh(x) * jnp.cos(x)
        if jnp.max(jnp.abs(step)) < 1e-3:
            break
        x = x - step
        path.append(x)
    return x, path


@jax.jit
def loss(x):
    return jnp.sum(x**2)


# call: trajectory(jnp.array([1.0, 0.5]), 0.5)
# call: trajectory(jnp.zeros(2), 0.5)
# call: trajectory(jnp.array([1e20, 0.5]), 0.5)
