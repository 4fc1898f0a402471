"""A constant of one arm does not fit the type of the other."""

import jax
import jax.numpy as jnp


@jax.jit
def distance(d):
    if d < 1e6:
        return d * d
    return 3e38 * 1.0


@jax.jit
def stamp(t):
    if t > 100:
        return 70_000
    return t


# call: distance(jnp.float32(1e20))
# call: distance(jnp.float32(2.0))
# call: stamp(jnp.int16(120))
# call: stamp(jnp.int32(7))
