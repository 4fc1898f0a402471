"""Loops over shapes, over axes and over tuples of arrays are loops over Python things."""

import jax
import jax.numpy as jnp


@jax.jit
def volume(x):
    size = 1
    for n in x.shape:
        size *= n
    return x.sum() / size, size


@jax.jit
def corner(*arrays):
    total = 0
    for a in arrays:
        total = total + a.ravel()[-1] * a.ndim
    return total


@jax.jit
def by_columns(x):
    acc = 0
    for col in x.T:
        acc = acc * 2 + col
    return acc


# call: volume(jnp.ones((2, 3, 4)))
# call: volume(jnp.int8(100))
# call: corner(jnp.ones(3), jnp.ones((2, 2), jnp.int8), jnp.float16(0.5))
# call: corner()
# call: by_columns(jnp.arange(20.0).reshape(2, 10))
# call: by_columns(jnp.array([[100, 3, -7], [1, 2, 3]], dtype=jnp.int8))
# call: by_columns(jnp.ones((3, 0)))
# call: by_columns(jnp.array([[True, False, True]]))
