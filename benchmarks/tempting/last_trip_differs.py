"""The last trip leaves out a step, and int() of a double is cut below the whole number."""

import jax
import jax.numpy as jnp


@jax.jit
def schedule(x):
    n = 100
    for i in range(n):
        x = x * 0.99 + int(i * 0.01 * 100) % 2
        if i == n - 1:
            break
        x = x + 0.5
    return x


@jax.jit
def bins(x):
    total = jnp.zeros((), x.dtype)
    for i in range(60):
        total = total + x[int(i * 0.1)] * round(i / 4)
    return total


# call: schedule(jnp.ones(2))
# call: bins(jnp.arange(6.0))
# call: bins(jnp.arange(6))
