"""A name of the body is read after the loop, which may never have run."""

import jax
import jax.numpy as jnp


@jax.jit
def last_gap(xs):
    gap = 0.0
    prev = xs[0]
    for x in xs[1:]:
        gap = x - prev
        prev = x
    return gap


# call: last_gap(jnp.array([1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0, 64.0, 81.0, 100.0]))
# call: last_gap(jnp.array([5.0]))
# call: last_gap(jnp.array([5, 7, 9, 11, 13, 15, 17, 19, 22]))
# call: last_gap(jnp.ones((3, 2), jnp.bfloat16))
