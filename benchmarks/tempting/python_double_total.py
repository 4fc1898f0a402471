"""A total kept in a Python float has 53 bits, an array of floats has 24."""

import math

import jax
import jax.numpy as jnp


def total(xs: jax.Array):
    t = 0.0
    for x in xs:
        t += float(x)
    return t


def total_on_device(xs: jax.Array):
    t = 0.0
    for x in xs:
        t += x
    return t


def log_total(xs: jax.Array):
    t = 0.0
    for x in xs:
        v = float(x)
        t += math.log(v) if v > 0 else -1.0
    return t


# call: total(jnp.array([16777216.0, 1.0, 1.0, 1.0]))
# call: total(jnp.zeros((0,)))
# call: total(jnp.array([0.1, 0.2, 0.3], dtype=jnp.bfloat16))
# call: total_on_device(jnp.array([3.0, 0.5, 1.0, 1.0]))
# call: total_on_device(jnp.array([100, 100, 100], dtype=jnp.int8))
# call: total_on_device(jnp.array([True, True]))
# call: log_total(jnp.array([1.0, 0.0, 2.5, jnp.nan]))
