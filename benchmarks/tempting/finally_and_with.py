"""A finally and a with-block say what they did on each trip, also on the one that leaves."""

import contextlib

import jax
import jax.numpy as jnp


@contextlib.contextmanager
def span(i):
    print("in", i)
    try:
        yield i * 2
    finally:
        print("out", i)


def spanned(x: jax.Array):
    for i in range(4):
        with span(i) as w:
            x = x + w
    return x


def searched(xs: jax.Array, bar):
    for i in range(len(xs)):
        try:
            if xs[i] > bar:
                return i
        finally:
            print("looked at", i)
    return None


@jax.jit
def scoped(x):
    for i in range(12):
        with jax.named_scope("decay"):
            x = x * 0.5 - i
    return x


# call: spanned(jnp.array([1.0, 2.0]))
# call: spanned(jnp.int8(125))
# call: searched(jnp.array([1, 5, 9]), 4)
# call: searched(jnp.array([jnp.nan, 5.0]), 7)
# call: searched(jnp.zeros((0,)), 0)
# call: scoped(jnp.array([1.0, 2.0]))
# call: scoped(jnp.int32(7))
# call: scoped(jnp.array([True]))
