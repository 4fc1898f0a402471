"""Each trip takes a gradient, by a name that the trip before has bound."""

import jax
import jax.numpy as jnp


@jax.jit
def descend(x, target):
    def loss(y):
        return jnp.sum((y - target) ** 2) + jnp.sum(jnp.abs(y))

    for i in range(12):
        x = x - 0.1 * jax.grad(loss)(x)
        target = target * 0.9
    return x


# call: descend(jnp.array([1.0, 2.0]), 0.5)
# call: descend(jnp.array([0.0, 0.0]), jnp.float32(0.0))
