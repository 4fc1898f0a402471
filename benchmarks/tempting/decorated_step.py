"""A decorated step function that counts or scales."""
import functools

import jax
import jax.numpy as jnp


def counted(f):
    @functools.wraps(f)
    def inner(*args):
        inner.calls += 1
        return f(*args)

    inner.calls = 0
    return inner


@counted
def step(x, k):
    return 0.5 * x + k


def run(x, n):
    step.calls = 0
    for k in range(n):
        x = step(x, k)
    return x, step.calls


@functools.lru_cache
def weight(k):
    return 1.0 / (k + 1)


@jax.jit
def cached_weights(x):
    for k in range(6):
        x = x + weight(k) * jnp.sin(x)
    return x


# call: run(jnp.ones(2), 4)
# call: run(jnp.ones(2), 0)
# call: run(jnp.array([1, 2]), 3)
# call: cached_weights(jnp.array([0.5, 1.0]))
