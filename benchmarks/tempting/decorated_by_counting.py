"""A decorator writes down each call with its arguments; another only doubles."""

import functools

import jax
import jax.numpy as jnp

SEEN = []


def noted(f):
    @functools.wraps(f)
    def inner(x, i):
        SEEN.append(i)
        return f(x, i)

    return inner


def doubled(f):
    @functools.wraps(f)
    def inner(x, i):
        return f(x, i) * 2

    return inner


@noted
def step(x, i):
    return x - i


@doubled
def pure_step(x, i):
    return x // 2 - i


def run(x: jax.Array):
    SEEN.clear()
    for i in range(10):
        x = step(x, i)
    return x, list(SEEN)


@jax.jit
def pure_run(x):
    for i in range(10):
        x = pure_step(x, i)
    return x


# call: run(jnp.array([1.0, 2.0]))
# call: run(jnp.int8(-100))
# call: pure_run(jnp.array([1, -2], dtype=jnp.int8))
# call: pure_run(jnp.array([7.5, -2.0]))
# call: pure_run(jnp.array([True]))
# call: pure_run(5)
