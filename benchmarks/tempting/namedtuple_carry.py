"""A NamedTuple carry with whole-number fields."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    x: jax.Array
    count: int
    best: float


@jax.jit
def search(x):
    s = State(x, 0, 1e9)
    for k in range(6):
        y = s.x - 0.1 * (2 * s.x - k)
        f = jnp.sum(y**2)
        s = State(y, s.count + 1, jnp.minimum(s.best, f))
    return s.x, s.count, s.best


@jax.jit
def replaced(x):
    s = State(x, 0, 0.0)
    for k in range(4):
        s = s._replace(x=s.x * 0.5, count=s.count + k)
    return tuple(s)


# call: search(jnp.array([1.0, -2.0]))
# call: search(jnp.array([1, 2]))
# call: replaced(jnp.array([1.0, -2.0]))
# call: replaced(jnp.array([True, False]))
