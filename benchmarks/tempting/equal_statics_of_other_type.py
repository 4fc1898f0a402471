"""1, 1.0 and True are equal and hash alike, but lead to other types; 0.0 and -0.0 to other signs."""

import jax
import jax.numpy as jnp


@jax.jit
def raised(x, p=2):
    if p == 0:
        return jnp.ones_like(x)
    return x**p


@jax.jit
def offset(x, by=0):
    if by:
        x = x + by
    return x


def several(x):
    return offset(x, 1), offset(x, 1.0), offset(x, True), offset(x, by=0.0), offset(x)


# call: several(jnp.array([1, -2], dtype=jnp.int8))
# call: several(jnp.array([True, False]))
# call: several(jnp.array([1.0, -2.0]))
# call: raised(jnp.array([2, -3]), 3)
# call: raised(jnp.array([2, 3]), 0.5)
# call: raised(jnp.array([2, 3], dtype=jnp.int8), 0.0)
# call: raised(jnp.array([2.0, jnp.nan]), False)
# call: offset(jnp.array([2, 3]), -1)
