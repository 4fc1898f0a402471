"""The built-ins any and all over the rows."""

import jax
import jax.numpy as jnp


@jax.jit
def gate(x):
    if any(v > 1.0 for v in x):
        return x / x.max()
    if all(x < 0):
        return -x
    return x


# call: gate(jnp.zeros((0,)))
# call: gate(jnp.array([0.5, 2.0]))
# call: gate(jnp.array([-0.5, -2.0]))
# call: gate(jnp.array([jnp.nan, -2.0]))
