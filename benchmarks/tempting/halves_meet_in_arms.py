"""Each arm has a type of its own beside half precision, a constant none."""

import jax
import jax.numpy as jnp


@jax.jit
def decay(x, rate):
    y = x
    if x > 1:
        y = x * rate
    return y + 0.125


@jax.jit
def step(x):
    if x > 0:
        y = 2 * x
    else:
        y = 0.5 * x
    return y


# call: decay(jnp.float16(2.0), 0.3)
# call: decay(jnp.bfloat16(2.0), jnp.bfloat16(0.3))
# call: decay(jnp.float32(0.5), jnp.float32(0.3))
# call: step(jnp.float16(3.0))
# call: step(jnp.float32(-3.0))
