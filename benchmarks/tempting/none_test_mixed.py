"""A static test for None guards a traced one."""

import jax
import jax.numpy as jnp


@jax.jit
def masked_mean(x, mask=None):
    if mask is not None and jnp.sum(mask) > 0:
        return jnp.sum(x * mask) / jnp.sum(mask)
    if mask is None:
        return jnp.mean(x)
    return jnp.zeros((), x.dtype)


# call: masked_mean(jnp.arange(4.0))
# call: masked_mean(jnp.arange(4.0), jnp.zeros(4))
# call: masked_mean(jnp.arange(4.0), jnp.array([True, False, True, False]))
# call: masked_mean(jnp.arange(4.0), jnp.array([1, 0, 0, 1]))
