"""A range is an object: it is asked for its last, its length, and gone over twice."""

import jax
import jax.numpy as jnp


@jax.jit
def twice(x):
    steps = range(3, 40, 4)
    for i in steps:
        x = x * 0.5 + i
    for i in reversed(steps):
        x = x - i * 0.25
    return x, steps[-1], len(steps)


@jax.jit
def backwards(x):
    for k, v in reversed(list(enumerate([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]))):
        x = x * 0.5 + k * v
    return x


# call: twice(jnp.array([1.0, 2.0]))
# call: backwards(jnp.array([1.0, 2.0]))
# call: twice(jnp.int8(3))
