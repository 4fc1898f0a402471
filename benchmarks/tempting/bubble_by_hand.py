"""A hand-written exchange sort whose comparison is false for NaN, so that NaN stay where they block."""

import jax
import jax.numpy as jnp


@jax.jit
def exchange_sort(x):
    n = x.shape[0]
    for i in range(n):
        for j in range(n - 1 - i):
            a, b = x[j], x[j + 1]
            swap = a > b
            x = x.at[j].set(jnp.where(swap, b, a))
            x = x.at[j + 1].set(jnp.where(swap, a, b))
    return x


def exchange_sort_host(x: jax.Array):
    order = list(range(x.shape[0]))
    for i in range(len(order)):
        for j in range(len(order) - 1 - i):
            if x[order[j]] > x[order[j + 1]]:
                order[j], order[j + 1] = order[j + 1], order[j]
    return x[jnp.array(order, dtype=int)], order


# call: exchange_sort(jnp.array([3.0, jnp.nan, 1.0, -jnp.inf, 2.0, 0.0]))
# call: exchange_sort(jnp.array([5, -3, 5, 0, 127, -128], dtype=jnp.int8))
# call: exchange_sort(jnp.zeros((1,)))
# call: exchange_sort(jnp.zeros((0,)))
# call: exchange_sort_host(jnp.array([2.0, 1.0, 2.0, jnp.nan, 0.0]))
# call: exchange_sort_host(jnp.array([True, False, True]))
