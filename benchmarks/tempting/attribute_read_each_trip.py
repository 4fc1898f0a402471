"""A property counts its readings and a class attribute is changed between them."""

import jax
import jax.numpy as jnp


class Schedule:
    base = 2.0

    def __init__(self):
        self.reads = 0

    @property
    def rate(self):
        self.reads += 1
        return self.base / self.reads


class Fixed:
    rate = 3
    shift = -1


def decayed(x: jax.Array):
    s = Schedule()
    for _ in range(9):
        x = x * 0.5 + s.rate
    return x, s.reads


def fixed(x: jax.Array):
    s = Fixed()
    for _ in range(9):
        x = x // s.rate + s.shift
    return x


# call: decayed(jnp.array([1.0, -2.0]))
# call: decayed(jnp.int32(100))
# call: fixed(jnp.array([1000, -1000]))
# call: fixed(jnp.array([100, -100], dtype=jnp.int8))
# call: fixed(jnp.array([2.5e4, jnp.inf]))
