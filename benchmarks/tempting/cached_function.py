"""A small function remembers its results by its argument, which must be a Python number for it."""

import functools

import jax
import jax.numpy as jnp


@functools.lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@jax.jit
def fibonacci_sum(x):
    for i in range(20):
        x = x * 2 - fibonacci(i)
    return x


@jax.jit
def fibonacci_array(x):
    a, b = 0, 1
    for _ in range(20):
        x = x * 2 - a
        a, b = b, a + b
    return x, a


@jax.jit
def fibonacci_long(x):
    a, b = 0, 1
    for _ in range(90):
        a, b = b, a + b
    return x + a % 97, float(a)


# call: fibonacci_sum(jnp.array([0, 3]))
# call: fibonacci_sum(jnp.array([0.5, jnp.nan]))
# call: fibonacci_array(jnp.array([0, 3]))
# call: fibonacci_array(jnp.array([0.25, -1.0]))
# call: fibonacci_long(jnp.array([1.0, 2.0]))
# call: fibonacci_long(jnp.int8(3))
