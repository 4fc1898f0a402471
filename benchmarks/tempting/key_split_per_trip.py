"""The key is split on each trip; the last one is handed on."""

import jax
import jax.numpy as jnp


@jax.jit
def walk(key, x):
    for i in range(32):
        key, sub = jax.random.split(key)
        x = x + jax.random.normal(sub, x.shape) * 0.1
        if i % 10 == 9:
            x = x - jax.random.uniform(key, x.shape)
    return key, x


# call: walk(jax.random.key(0), jnp.zeros(3))
# call: walk(jax.random.PRNGKey(0), jnp.zeros(3))
# call: walk(jax.random.key(3), jnp.zeros((2, 1)))
