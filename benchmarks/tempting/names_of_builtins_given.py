"""The names enumerate, zip, len and abs are parameters or local functions here."""

import jax
import jax.numpy as jnp


def enumerate(xs):
    return [(2 * k + 1, x) for k, x in zip(range(len(xs)), xs)]


@jax.jit
def odd_numbered(xs):
    total = 0
    for i, x in enumerate(xs):
        total = total + i * x
    return total


@jax.jit
def given(x, len=9, abs=2):
    for i in range(len):
        x = x * abs - i
    return x


@jax.jit
def own_sum(xs):
    def sum(a, b):
        return a - b

    acc = xs[0]
    for x in xs:
        acc = sum(acc, x)
    return acc


# call: odd_numbered(jnp.array([1.0, 2.0, 4.0, jnp.nan]))
# call: odd_numbered(jnp.arange(9, dtype=jnp.int8))
# call: odd_numbered(jnp.zeros((0,)))
# call: given(jnp.array([1.0, 2.0]))
# call: given(jnp.int8(1), 4)
# call: own_sum(jnp.arange(10))
# call: own_sum(jnp.array([[200, 3]], dtype=jnp.uint8))
