"""A compiled function made in a loop closes over the trip and over what the loop binds."""

import jax
import jax.numpy as jnp


def stepped(x: jax.Array):
    for i in range(12):
        @jax.jit
        def advance(y):
            return y * 0.5 + i + x.sum() * 0.01

        x = advance(x)
    return x


# call: stepped(jnp.array([1.0, 2.0]))
# call: stepped(jnp.array([1, 2]))
