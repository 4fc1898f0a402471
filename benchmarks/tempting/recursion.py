"""Recursive helpers called in loops."""
import jax
import jax.numpy as jnp


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@jax.jit
def weighted(x):
    s = x * 0
    for k in range(10):
        s = s + fib(k) * jnp.roll(x, k)
    return s


def power(x, n):
    if n == 0:
        return 1
    if n % 2:
        return x * power(x, n - 1)
    return power(x * x, n // 2)


def series(x, n):
    s = 0.0
    for k in range(n):
        s = s + power(x, k) / (k + 1)
    return s


# call: weighted(jnp.arange(3.0))
# call: weighted(jnp.array([1, 2], dtype=jnp.int8))
# call: series(jnp.float32(0.5), 6)
# call: series(jnp.array([2, 3]), 0)
