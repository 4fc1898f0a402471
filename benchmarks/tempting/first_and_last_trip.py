"""The first and the last trip do something else, told by the trip number."""

import jax
import jax.numpy as jnp


@jax.jit
def trapezoid(ys):
    n = ys.shape[0]
    area = 0
    for i in range(n):
        if i == 0 or i == n - 1:
            area = area + ys[i] / 2
        else:
            area = area + ys[i]
    return area


@jax.jit
def simpson(ys):
    s = ys[0] * 0
    for i in range(ys.shape[0]):
        if i in (0, ys.shape[0] - 1):
            w = 1
        elif i % 2:
            w = 4
        else:
            w = 2
        s = s + w * ys[i]
    return s


# call: trapezoid(jnp.array([1.0, 2.0, 4.0, 8.0, 4.0, 2.0, 1.0, 0.5, 3.0]))
# call: trapezoid(jnp.array([7, 8, 100], dtype=jnp.int8))
# call: trapezoid(jnp.array([3]))
# call: trapezoid(jnp.zeros((0, 2)))
# call: simpson(jnp.array([1, 100, 4, 8, 4], dtype=jnp.int8))
# call: simpson(jnp.arange(9.0))
# call: simpson(jnp.array([jnp.inf]))
