"""A match with an alternative, a guard and a default."""

import jax
import jax.numpy as jnp


@jax.jit
def move(position, action):
    match action:
        case 0 | 4:
            step = jnp.array([0.0, 0.0])
        case 1:
            step = jnp.array([1.0, 0.0])
        case 2 if position[0] > 0:
            step = jnp.array([-1.0, 0.0])
        case _:
            step = jnp.array([0.0, 1.0])
    return position + step


# call: move(jnp.zeros(2), 4)
# call: move(jnp.zeros(2), 2)
# call: move(jnp.ones(2), 2)
# call: move(jnp.ones(2), -3)
