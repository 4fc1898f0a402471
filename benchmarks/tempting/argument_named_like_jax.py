"""A parameter hides the module of the same name."""

import jax
import jax.numpy as jnp


def apply(jnp_like: jax.Array, lax=2.0):
    for i in range(12):
        jnp_like = jnp_like * 0.5 + lax
    return jnp_like


def hidden(x: jax.Array, jax=1.0):
    for i in range(12):
        x = jnp.sin(x) + jax
    return x


# call: apply(jnp.array([1.0, 2.0]))
# call: apply(jnp.array([1, 2]))
# call: hidden(jnp.array([1.0, 2.0]))
