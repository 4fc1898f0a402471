"""Samples held between two limits by built-ins, in a type which wraps before the limit is reached."""

import jax
import jax.numpy as jnp


@jax.jit
def mixed(samples):
    acc = 0
    for s in samples:
        acc = max(-100, min(100, acc + s))
    return acc


@jax.jit
def mixed_rows(samples):
    acc = samples[0] * 0
    for s in samples:
        acc = jnp.clip(acc + s, -100, 100)
    return acc


# call: mixed(jnp.array([90, 90, -128, 5], dtype=jnp.int8))
# call: mixed(jnp.array([90.0, 90.0, jnp.nan, 5.0]))
# call: mixed(jnp.array([300, -7, 40, -1000]))
# call: mixed([])
# call: mixed_rows(jnp.array([[90, 1], [90, -2], [-128, 3], [5, -128]], dtype=jnp.int8))
# call: mixed_rows(jnp.array([[90.0], [jnp.nan], [1.0]]))
# call: mixed_rows(jnp.ones((9, 2)))
