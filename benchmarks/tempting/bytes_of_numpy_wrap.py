"""Totals of NumPy scalars: whether they wrap depends on what the total starts from."""

import jax
import jax.numpy as jnp
import numpy as np


def total_from(values, start):
    t = start
    for v in values:
        t = t + v
    return t


def longest_run(values: jax.Array):
    best = run = 0
    for a, b in zip(values, values[1:]):
        run = run + 1 if a == b else 0
        best = max(best, run)
    return best


# call: total_from(np.array([100, 27, 3], dtype=np.int8), 0)
# call: total_from(np.array([True, True, True]), 0)
# call: total_from(jnp.array([100, 27, 3], dtype=jnp.int8), jnp.int32(0))
# call: total_from(jnp.array([100, 27, 3], dtype=jnp.int8), 0.0)
# call: total_from([], 0)
# call: longest_run(jnp.array([1, 1, 2, 2, 2, 3]))
# call: longest_run(jnp.array([jnp.nan, jnp.nan]))
# call: longest_run(jnp.array([5]))
