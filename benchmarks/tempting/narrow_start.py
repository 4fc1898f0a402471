"""Python counts on from a start of eight bits."""

import jax
import jax.numpy as jnp


@jax.jit
def tail(x, start):
    acc = jnp.zeros(())
    for i in range(start, x.shape[0]):
        acc = acc + x[i] * (i * 100)
    return acc

# call: tail(jnp.ones(20), jnp.int32(3))
# call: tail(jnp.ones(20), jnp.uint8(3))
# call: tail(jnp.ones(300), jnp.uint8(3))
# call: tail(jnp.ones(20), jnp.int8(-3))
