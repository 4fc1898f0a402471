"""The state has another shape after the first trip."""

import jax
import jax.numpy as jnp


@jax.jit
def accumulate(x, rows):
    for i in range(rows.shape[0]):
        x = x + rows[i]
    return x


@jax.jit
def history(x):
    past = x[:1]
    for i in range(20):
        past = jnp.concatenate([past, past[-1:] * 0.5 + i])
    return past


# call: accumulate(jnp.zeros(()), jnp.ones((20, 3)))
# call: accumulate(0, jnp.ones((20, 3), jnp.int8))
# call: accumulate(jnp.zeros((2, 1)), jnp.ones((20, 3)))
# call: history(jnp.ones(1))
