"""A state of named fields, among them a Python count and a flag that is None at first."""

from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    x: jax.Array
    count: int = 0
    last: jax.Array | None = None


@jax.jit
def advance(x):
    s = State(x)
    for i in range(16):
        s = s._replace(x=s.x * 0.5 + i, count=s.count + 1, last=s.x)
    return s


@jax.jit
def advance_some(x, steps=3):
    s = State(x, count=2)
    for _ in range(10):
        s = State(x=s.x - s.count, count=s.count * 2 % 5, last=s.last)
    return s.x, s.count, s.last is None


# call: advance(jnp.array([1.0, 2.0]))
# call: advance(jnp.int32(7))
# call: advance(jnp.float16(0.25))
# call: advance_some(jnp.array([1.0, 2.0]))
# call: advance_some(jnp.array([100, -100], dtype=jnp.int8))
# call: advance_some(jnp.array([True]))
