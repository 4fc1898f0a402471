"""An update in one arm at an index that may lie outside."""

import jax
import jax.numpy as jnp


@jax.jit
def deposit(grid, i, mass):
    if mass > 0:
        grid = grid.at[i].add(mass)
        left = grid[i] - mass
    else:
        left = grid[i]
    return grid, left


# call: deposit(jnp.zeros(4), -1, jnp.float32(2.0))
# call: deposit(jnp.arange(4.0), jnp.int32(9), jnp.float32(2.0))
# call: deposit(jnp.arange(4.0), jnp.int32(9), jnp.float32(-2.0))
# call: deposit(jnp.arange(4), jnp.int32(1), 3)
