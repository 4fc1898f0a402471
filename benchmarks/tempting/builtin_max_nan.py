"""The built-in max keeps the first operand where the second is NaN."""

import jax
import jax.numpy as jnp


@jax.jit
def headroom(a, b):
    top = max(a, b)
    low = min(b, a, 1.0)
    return top - low


@jax.jit
def hinge(margin):
    return max(0.0, 1 - margin) ** 2


# call: headroom(jnp.float32(1.0), jnp.float32(jnp.nan))
# call: headroom(jnp.float32(jnp.nan), jnp.float32(1.0))
# call: hinge(jnp.float32(1.0))
# call: hinge(jnp.float32(jnp.nan))
