"""One arm keeps an argument of any shape, the other one makes a number."""

import jax
import jax.numpy as jnp


@jax.jit
def pad_or_crop(x, flag):
    if flag > 0:
        out = x
    else:
        out = jnp.zeros(())
    return out + 1

# call: pad_or_crop(jnp.ones(3), 1)
# call: pad_or_crop(jnp.ones(3), 0)
# call: pad_or_crop(jnp.float32(2), jnp.float32(0))
