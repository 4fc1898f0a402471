"""Python counts beyond the type of the bound."""

import jax
import jax.numpy as jnp


@jax.jit
def ramp(x, n):
    acc = jnp.zeros(())
    for i in range(n):
        acc = acc + x[i] * (i * 3)
    return acc

# call: ramp(jnp.ones(120), jnp.int32(100))
# call: ramp(jnp.ones(120), jnp.uint8(100))
# call: ramp(jnp.ones(120), jnp.int8(100))
