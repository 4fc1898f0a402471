"""The inner break leaves the inner loop only."""

import jax
import jax.numpy as jnp


@jax.jit
def settle(x):
    inner_trips = 0
    for outer in range(24):
        for inner in range(20):
            x = x * 0.9
            inner_trips += 1
            if jnp.max(x) < 0.5:
                break
        if jnp.sum(x) < 0.1:
            break
        x = x + 1.0 / (outer + 1)
    return x, outer, inner_trips


# call: settle(jnp.array([3.0, 1.0]))
# call: settle(jnp.zeros(2))
# call: settle(jnp.array([jnp.nan, 1.0]))
