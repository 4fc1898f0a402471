"""An iterator shared by two loops is read once, and zip takes one too many from the first."""

import itertools

import jax
import jax.numpy as jnp


def head_and_rest(xs: jax.Array):
    it = iter(xs)
    head = next(it, None)
    total = 0
    for x in it:
        total = total + x * 2
    return head is None, total, next(it, -1)


def alternated(xs: jax.Array):
    it = iter(xs)
    out = []
    for a, b in zip(it, it):
        out.append(a - b)
    return jnp.array(out), len(out)


@jax.jit
def cycled(xs):
    acc = 0
    for x, w in zip(xs, itertools.cycle((1, -2, 3))):
        acc = acc + x * w
    return acc


# call: head_and_rest(jnp.array([5, 1, 2]))
# call: head_and_rest(jnp.zeros((0,)))
# call: head_and_rest(jnp.array([100, 100, 100], dtype=jnp.int8))
# call: alternated(jnp.array([5.0, 1.0, 2.0, 9.0, 3.0]))
# call: alternated(jnp.array([7]))
# call: cycled(jnp.array([100, 50, 7, 3, 2, 1, 9, 9], dtype=jnp.int8))
# call: cycled(jnp.array([0.5, jnp.nan]))
# call: cycled(())
