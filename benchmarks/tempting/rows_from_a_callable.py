"""A sentinel ends the loop, arguments have shapes of their own."""

import jax
import jax.numpy as jnp


def drained(queue, x: jax.Array):
    rows = list(queue)
    for item in iter(rows.pop, None):
        x = jnp.sin(x) + item
    return x, rows


def joined(*parts: jax.Array):
    total = jnp.zeros(())
    for part in parts:
        total = jnp.sin(total) + part.sum()
    return total


# call: drained([None, 1.0, 2.0, 3.0], jnp.array([1.0, 2.0]))
# call: joined(jnp.ones(3), jnp.ones((2, 2)), jnp.float32(1.0))
# call: joined()
