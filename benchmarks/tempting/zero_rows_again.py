"""With no row the state is the argument itself, and the last row is not set."""

import jax
import jax.numpy as jnp


@jax.jit
def smooth(state, rows):
    last = None
    for row in rows:
        state = 0.5 * state + 0.5 * row
        last = row
    if last is None:
        return state
    return state + last


# call: smooth(jnp.ones(3), jnp.zeros((0, 3)))
# call: smooth(1, jnp.ones((20, 3)))
# call: smooth(jnp.ones(3), jnp.ones((1, 3)))
# call: smooth(jnp.ones((4, 1)), jnp.ones((4, 1)))
