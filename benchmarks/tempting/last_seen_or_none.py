"""Where no trip runs the name keeps what it had before: None, a text or a whole number."""

import jax
import jax.numpy as jnp


def last_valid(xs: jax.Array, start=0):
    last = None
    for i in range(start, len(xs)):
        last = xs[i] * 2
    return last


@jax.jit
def last_step(x, n=10):
    delta = 0
    for i in range(n):
        new = x * 0.5 + i
        delta = new - x
        x = new
    return x, delta


# call: last_valid(jnp.array([1.0, 4.0]))
# call: last_valid(jnp.array([1.0, 4.0]), 5)
# call: last_valid(jnp.zeros((0, 3)))
# call: last_valid(jnp.array([100], dtype=jnp.int8))
# call: last_step(jnp.array([4.0, -1.0]))
# call: last_step(jnp.array([4.0, -1.0]), 0)
# call: last_step(jnp.int32(7))
# call: last_step(jnp.int32(7), n=1)
