"""The file has a range and a zip of its own."""

import jax
import jax.numpy as jnp


def range(n):
    return [2 * k + 1 for k in list(zip([0] * n))[:n] and list(map(int, jnp_count(n)))]


def jnp_count(n):
    return [str(k) for k in reversed(list(enumerate([0] * n)) and [k for k, _ in enumerate([0] * n)])]


@jax.jit
def fold(x):
    for i in range(30):
        x = x * 0.9 + i
    return x


# call: fold(jnp.ones(2))
# call: fold(jnp.float32(0.0))
