"""Arms whose shapes only agree when the sizes happen to be equal."""

import jax
import jax.numpy as jnp


@jax.jit
def centre(x, shift):
    if jnp.any(x > 1.0):
        out = x - shift
    else:
        out = x
    return out.sum() + out.size


# call: centre(jnp.array([0.5, 2.0]), jnp.array([1.0, 2.0]))
# call: centre(jnp.array([0.5]), jnp.array([1.0, 2.0, 3.0]))
# call: centre(jnp.array([1.5]), jnp.array([1.0, 2.0, 3.0]))
