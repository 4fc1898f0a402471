"""The state starts as a Python float and would take a type on the first trip."""

import jax
import jax.numpy as jnp


@jax.jit
def decayed(xs):
    total = 0.0
    weight = 1.0
    for x in xs:
        total = total + weight * x
        weight = weight * 0.9
    return total, weight


# call: decayed(jnp.arange(40.0))
# call: decayed(jnp.arange(40, dtype=jnp.float16))
# call: decayed(jnp.arange(40))
# call: decayed(jnp.ones((40, 2), jnp.int8))
