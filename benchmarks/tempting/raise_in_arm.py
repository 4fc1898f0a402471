"""One arm raises, another returns early, the rest goes on."""

import jax
import jax.numpy as jnp


@jax.jit
def safe_root(x):
    if x < -1e3:
        raise ValueError("too far below")
    if x <= 0:
        return jnp.zeros_like(x)
    if x > 1e3:
        return jnp.float32(31.6)
    return jnp.sqrt(x)


# call: safe_root(jnp.float32(0.0))
# call: safe_root(jnp.float32(4.0))
# call: safe_root(jnp.float32(1e20))
# call: safe_root(jnp.float32(jnp.nan))
