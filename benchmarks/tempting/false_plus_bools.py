"""A total of comparisons that starts at False stays a bool, one that starts at 0 counts."""

import jax
import jax.numpy as jnp


@jax.jit
def seen(xs):
    t = False
    for x in xs:
        t = t | (x > 2)
    return t


@jax.jit
def votes(xs):
    t = False
    for x in xs:
        t = t + (x > 2)
    return t


@jax.jit
def count(xs):
    t = 0
    for x in xs:
        t = t + (x > 2)
    return t


# call: seen(jnp.array([1, 5, 2, 7, 3, 0, 0, 9]))
# call: seen(jnp.zeros((0, 3)))
# call: votes(jnp.array([1, 5, 2, 7, 3, 0, 0, 9]))
# call: votes(jnp.array([[1.0, 5.0], [jnp.nan, 7.0]]))
# call: votes(jnp.array([3], dtype=jnp.int8))
# call: count(jnp.array([1, 5, 2, 7, 3, 0, 0, 9]))
# call: count(jnp.array([True, False]))
# call: count([])
