"""The argument itself is returned on one path, another type on the other."""

import jax
import jax.numpy as jnp


@jax.jit
def normalised(x):
    n = jnp.sqrt(jnp.sum(x * x))
    if n == 0:
        return x
    return x / n


@jax.jit
def floored(x):
    if x < 0:
        return 0
    return x


# call: normalised(jnp.array([3.0, 4.0]))
# call: normalised(jnp.array([0.0, 0.0]))
# call: normalised(jnp.array([3, 4]))
# call: floored(jnp.float32(-1.5))
# call: floored(jnp.float32(1.5))
# call: floored(jnp.array([2.0]))
# call: floored(jnp.float16(-2.0))
