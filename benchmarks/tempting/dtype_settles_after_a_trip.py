"""The first trip changes the type of what is carried; a carry of one type would round or widen."""

import jax
import jax.numpy as jnp


@jax.jit
def average(xs):
    m = 0
    for k, x in enumerate(xs):
        m = m + (x - m) / (k + 1)
    return m


@jax.jit
def typed_steps(x):
    trace = 0
    for i in range(6):
        if jnp.issubdtype(x.dtype, jnp.integer):
            trace += 10
            x = x + 0.5
        else:
            trace += 1
            x = x * 2
    return x, trace


# call: average(jnp.array([1, 2, 4, 8, 100, 100, 100, 27], dtype=jnp.int8))
# call: average(jnp.array([True, False, True]))
# call: average(jnp.zeros((0,), jnp.int32))
# call: average(jnp.array([0.5, jnp.nan]))
# call: typed_steps(jnp.int32(3))
# call: typed_steps(jnp.array([0.5, -1.0]))
# call: typed_steps(jnp.array([1, 2], dtype=jnp.uint8))
