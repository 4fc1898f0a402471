"""Collatz lengths: a Python int that grows beyond 32 bits on the way."""
import jax.numpy as jnp


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


def halvings(x, n):
    while n > 1:
        x = jnp.sqrt(jnp.abs(x) + n % 3)
        n = n // 2
    return x


# call: collatz(27)
# call: collatz(113383)
# call: halvings(jnp.linspace(-1.0, 1.0, 3), 2**40 + 5)
# call: halvings(jnp.array([1e20, jnp.nan]), 1)
