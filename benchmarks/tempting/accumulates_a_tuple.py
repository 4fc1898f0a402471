"""A tuple grows, and another is replaced as a whole."""

import jax
import jax.numpy as jnp


@jax.jit
def moments(xs):
    m = (0.0, 0.0)
    for x in xs:
        m = (m[0] + x, m[1] + x * x)
    return m


def visited(xs: jax.Array):
    seen = ()
    for x in xs:
        seen += (x * 2,)
    return seen


# call: moments(jnp.arange(12.0))
# call: moments(jnp.arange(12))
# call: visited(jnp.arange(9.0))
