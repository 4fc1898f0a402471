"""Each test sees what the one before has made of the value."""

import jax
import jax.numpy as jnp


@jax.jit
def clamp(x, lo, hi):
    if x < lo:
        x = lo
    if x > hi:
        x = hi
    return x


@jax.jit
def wrapped(angle, period):
    if angle < 0:
        angle = angle + period
    if angle >= period:
        angle = angle - period
    return angle


# call: clamp(jnp.float32(5.0), 0, 3)
# call: clamp(jnp.float32(-5.0), 2, 1)
# call: clamp(jnp.float32(jnp.nan), 0.0, 1.0)
# call: clamp(jnp.int32(7), jnp.int32(0), jnp.int32(3))
# call: wrapped(jnp.float32(-1e-9), 1.0)
# call: wrapped(jnp.float32(7.5), 2.0)
# call: wrapped(jnp.int32(-2), 5)
