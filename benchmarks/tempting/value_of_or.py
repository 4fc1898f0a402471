"""`or` gives one of its operands, not a bool."""

import jax
import jax.numpy as jnp


@jax.jit
def normalised(x):
    total = jnp.sum(x)
    denominator = total or 1
    return x / denominator


# call: normalised(jnp.array([1.0, -1.0]))
# call: normalised(jnp.array([1.0, 3.0]))
# call: normalised(jnp.array([1, 3]))
# call: normalised(jnp.array([jnp.nan, 3.0]))
