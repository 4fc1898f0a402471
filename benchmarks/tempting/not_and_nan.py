"""`not (a < b)` is not `a >= b` where one of them is NaN."""

import jax
import jax.numpy as jnp


@jax.jit
def accept(energy, proposed, x, y):
    if not (proposed > energy) and not jnp.isinf(energy):
        return y, proposed
    if not energy <= 1e10:
        return 0 * x, energy
    return x, energy


# call: accept(jnp.float32(1.0), jnp.float32(jnp.nan), jnp.ones(2), jnp.zeros(2))
# call: accept(jnp.float32(1.0), jnp.float32(1.0), jnp.ones(2), jnp.zeros(2))
# call: accept(jnp.float32(jnp.inf), jnp.float32(1.0), jnp.ones(2), jnp.zeros(2))
# call: accept(jnp.float32(1e20), jnp.float32(1e20), jnp.ones(2), jnp.zeros(2))
