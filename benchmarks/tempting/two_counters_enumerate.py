"""enumerate from 1 and zip that ends at the shorter one."""

import jax
import jax.numpy as jnp


@jax.jit
def weighted(xs, ws):
    total = jnp.zeros(xs.shape[1:])
    for k, (x, w) in enumerate(zip(xs, ws), start=1):
        total = total + w * x / k
    return total, k


# call: weighted(jnp.ones((20, 2)), jnp.arange(20.0))
# call: weighted(jnp.ones((20, 2)), jnp.arange(12.0))
# call: weighted(jnp.ones((3, 2), jnp.int32), jnp.arange(30))
