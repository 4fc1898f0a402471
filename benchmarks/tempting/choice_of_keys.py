"""A random key is chosen, and one drawn from is not the other."""

import jax
import jax.numpy as jnp


@jax.jit
def draw(key, flag):
    a, b = jax.random.split(key)
    k = a
    if flag > 0:
        k = b
    return jax.random.normal(k, (3,))


# call: draw(jax.random.PRNGKey(0), jnp.float32(1.0))
# call: draw(jax.random.PRNGKey(0), jnp.float32(-1.0))
# call: draw(jax.random.key(3), jnp.int32(1))
