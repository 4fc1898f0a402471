"""Python integers grow where int32 wraps around."""

import jax
import jax.numpy as jnp


@jax.jit
def weights(x):
    factor = 1
    for k in range(1, 26):
        factor = factor * k
        x = x + jnp.exp(-x) / factor
    return x


@jax.jit
def seeds(x):
    state = 12345
    for _ in range(40):
        state = (1103515245 * state + 12345) % 2**31
        x = x + state / 2**31
    return x


# call: weights(jnp.ones(2))
# call: seeds(jnp.zeros(2))
# call: seeds(jnp.zeros(2, jnp.int32))
