"""A text over several lines stands in the body, and two statements on one line."""

import jax
import jax.numpy as jnp

table = {}


@jax.jit
def labelled(x):
    for i in range(24):
        note = """first
        second
    third"""
        x = x * 0.9 + len(note); y = x - i  # keep: the difference
    return x, y, \
        len(note)


# call: labelled(jnp.ones(2))
# call: labelled(jnp.int32(3))
