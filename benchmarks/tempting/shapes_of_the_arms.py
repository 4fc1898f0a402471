"""Each arm has a shape of its own, which broadcasting hides."""

import jax
import jax.numpy as jnp


@jax.jit
def pick(x, t):
    if t > 0:
        y = x.sum()
    else:
        y = x
    return y * 2


@jax.jit
def row_or_all(m, t):
    r = m[0]
    if t > 0:
        r = m
    return r.sum(axis=0)


# call: pick(jnp.array([1.0, 2.0]), jnp.float32(1.0))
# call: pick(jnp.float32(3.0), jnp.float32(-1.0))
# call: row_or_all(jnp.ones((2, 3)), jnp.float32(1.0))
