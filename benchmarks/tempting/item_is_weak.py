"""A number taken out with item() has no type; the array's has."""

import jax
import jax.numpy as jnp


@jax.jit
def rescale(x):
    peak = jnp.max(jnp.abs(x.astype(jnp.float32))).item()
    if peak > 1:
        return x / peak
    return x * float(peak)


# call: rescale(jnp.linspace(-2.0, 2.0, 5))
# call: rescale(jnp.linspace(-2.0, 2.0, 5, dtype=jnp.float16))
# call: rescale(jnp.array([3, -4], jnp.int8))
# call: rescale(jnp.array([jnp.inf, 0.0]))
