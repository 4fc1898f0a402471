"""The dummy's size is an argument: a number here, a shape there."""

import jax
import jax.numpy as jnp


def iterate(x, size):
    def step(c, _):
        return jnp.sin(c) + 0.1, None

    final, _ = jax.lax.scan(step, x, jnp.zeros(size))
    return final


def iterate_range(x, stop, start=0):
    def step(c, _):
        return jnp.sin(c) + 0.1, c

    final, ys = jax.lax.scan(step, x, jnp.arange(start, stop))
    return final


# call: iterate(jnp.float32(0.5), 5)
# call: iterate(jnp.float32(0.5), (5, 2))
# call: iterate_range(jnp.float32(0.5), 7.5)
# call: iterate_range(jnp.float32(0.5), 9, 4)
