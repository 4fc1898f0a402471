"""Either of two arguments: one may be a list, a tuple, or of another type than the other."""

import jax
import jax.numpy as jnp


@jax.jit
def either(flag, a, b):
    return a if flag > 0 else b


@jax.jit
def larger(a, b):
    return a if a > b else b


# call: either(jnp.float32(1.0), (jnp.ones(2), jnp.zeros(3)), (jnp.zeros(2), jnp.ones(3)))
# call: either(jnp.float32(-1.0), {"w": jnp.ones(2)}, {"w": jnp.zeros(2)})
# call: either(jnp.float32(-1.0), jnp.float32(2.0), jnp.float32(3.0))
# call: larger(jnp.int32(3), jnp.int32(4))
# call: larger(jnp.float32(jnp.nan), jnp.float32(4.0))
# call: larger(jnp.float32(4.0), jnp.float32(jnp.nan))
