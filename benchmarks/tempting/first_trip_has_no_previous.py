"""Before the first trip there is no previous sample: a zero in its place gives another first difference."""

import jax
import jax.numpy as jnp


@jax.jit
def total_variation(xs):
    prev = None
    total = 0.0
    for x in xs:
        if prev is not None:
            total = total + jnp.abs(x - prev)
        prev = x
    return total


@jax.jit
def smallest_gap(xs):
    prev, gap = None, jnp.inf
    for x in xs:
        if prev is None:
            gap = gap * 1
        else:
            gap = jnp.minimum(gap, x - prev)
        prev = x
    return gap, prev


# call: total_variation(jnp.array([3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, 6.0, 5.0, 3.0]))
# call: total_variation(jnp.zeros((0,)))
# call: total_variation(jnp.array([7.5]))
# call: total_variation(jnp.array([[1, 100], [-100, 3], [50, 50]], dtype=jnp.int8))
# call: smallest_gap(jnp.array([1.0, 1.0, jnp.nan, 4.0, 3.5, 9.0]))
# call: smallest_gap(jnp.arange(12) ** 2 % 7)
# call: smallest_gap(jnp.zeros((0, 2)))
