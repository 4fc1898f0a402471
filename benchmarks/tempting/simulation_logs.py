"""A simulation that logs to a list given as an argument."""
import jax.numpy as jnp
import numpy as np


def simulate(x, log, steps):
    for k in range(steps):
        x = x + 0.1 * jnp.cos(x)
        log.append(k)
    return x


def observed(x, table, steps):
    for k in range(steps):
        x = x * 0.5
        table[k, 0] = k
        table[k, 1] = x.sum()
    return x


def cached(x, cache, steps):
    for k in range(steps):
        if k not in cache:
            cache[k] = jnp.full(2, float(k))
        x = x + cache[k]
    return x


# call: simulate(jnp.zeros(2), [], 3)
# call: observed(jnp.ones(2), np.zeros((4, 2)), 3)
# call: cached(jnp.ones(2), {1: jnp.array([5.0, 5.0])}, 3)
