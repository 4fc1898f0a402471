"""Rows of truths where one truth a step is counted."""

import jax
import jax.numpy as jnp


@jax.jit
def alive_steps(mask):
    alive = mask[0]
    steps = 0
    for i in range(mask.shape[0]):
        alive = alive & mask[i]
        steps = steps + alive
    return steps, ~alive

# call: alive_steps(jnp.array([True, True, False, True]))
# call: alive_steps(jnp.array([1, 3, 2], jnp.int32))
# call: alive_steps(jnp.array([1, 3, 2], jnp.uint8))
# call: alive_steps(jnp.ones((3, 2), bool))
