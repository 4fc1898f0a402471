"""Differentiated in reverse elsewhere: a while_loop has no transpose."""

import jax
import jax.numpy as jnp


@jax.jit
def unrolled(x, rate):
    for _ in range(40):
        x = x - rate * jnp.sin(x)
    return jnp.sum(x**2)


def solve(x, rate):
    n = 0
    while n < 40:
        x = x - rate * jnp.tanh(x)
        n += 1
    return jnp.sum(x)


@jax.jit
def tune(x, rate):
    return jax.grad(unrolled, argnums=1)(x, rate), jax.grad(solve, argnums=1)(x, rate)


# call: tune(jnp.array([1.0, 2.0]), 0.1)
# call: tune(jnp.zeros(2), jnp.float32(0.3))
# call: solve(jnp.array([1.0, 2.0]), 0.1)
