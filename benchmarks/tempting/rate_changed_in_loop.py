"""A module's rate is read at each trip, and something called in the loop changes it."""

import jax
import jax.numpy as jnp

RATE = 1.0
STEP = 0.25


def cool():
    global RATE
    RATE = RATE * 0.5


def anneal(x: jax.Array):
    global RATE
    RATE = 1.0
    for _ in range(10):
        x = x + RATE
        cool()
    return x, RATE


def plain(x: jax.Array):
    for i in range(10):
        x = x + STEP * i
    return x


# call: anneal(jnp.array([1.0, -2.0]))
# call: anneal(jnp.int32(3))
# call: plain(jnp.array([1.0, -2.0]))
# call: plain(jnp.int32(3))
# call: plain(jnp.array([0.5], dtype=jnp.bfloat16))
