"""Two states that read each other's old value, and the previous one kept."""

import jax
import jax.numpy as jnp


@jax.jit
def leapfrog(q, p, h):
    previous = q
    for _ in range(36):
        previous, q = q, q + h * p
        p = p - h * (q + previous) / 2
        q, p = p * 1.0, -q
    return q, p, previous


# call: leapfrog(jnp.ones(2), jnp.zeros(2), 0.1)
# call: leapfrog(jnp.ones(()), 0, 0.1)
# call: leapfrog(1, jnp.ones(3), jnp.float32(0.5))
