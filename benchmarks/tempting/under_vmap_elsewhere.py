"""Under vmap each row has its own number of trips."""

import jax
import jax.numpy as jnp


def mandel(c):
    z = 0.0 * c
    n = 0
    while n < 60 and jnp.abs(z) <= 2.0:
        z = z * z + c
        n += 1
    return n


@jax.jit
def picture(cs):
    return jax.vmap(mandel)(cs)


# call: mandel(jnp.float32(0.3))
# call: mandel(jnp.float32(-3.0))
# call: mandel(jnp.complex64(0.3 + 0.5j))
# call: mandel(jnp.float32(jnp.nan))
