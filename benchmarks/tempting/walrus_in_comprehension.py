"""A comprehension binds a name of the function around it."""

import jax
import jax.numpy as jnp


@jax.jit
def last_and_all(xs):
    out = jnp.stack([(last := x * 2) for x in xs])
    return out, last


@jax.jit
def partial_sums(xs):
    total = 0.0
    return jnp.stack([total := total + x for x in xs])


# call: last_and_all(jnp.arange(12.0))
# call: partial_sums(jnp.arange(12.0))
