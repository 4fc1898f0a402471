"""The right side of `and` is only safe where the left side holds."""

import jax
import jax.numpy as jnp


@jax.jit
def starts_positive(xs):
    if xs.shape[0] > 0 and xs[0] > 0:
        return xs.sum()
    return -xs.sum()


@jax.jit
def bounded_root(x, lo=None):
    if lo is not None and x < lo:
        x = lo
    return x * 2


def count_until(xs: jax.Array, stop):
    i = 0
    while i < len(xs) and xs[i] != stop:
        i += 1
    return i


# call: starts_positive(jnp.array([1.0, -3.0]))
# call: starts_positive(jnp.zeros((0,)))
# call: starts_positive(jnp.array([-1, -3], dtype=jnp.int8))
# call: bounded_root(jnp.float32(-3.0))
# call: bounded_root(jnp.float32(-3.0), 1)
# call: bounded_root(jnp.int32(-3), lo=-1)
# call: count_until(jnp.array([4, 2, 0, 7]), 0)
# call: count_until(jnp.array([1.0, jnp.nan]), jnp.nan)
