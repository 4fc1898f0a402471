"""Counting with booleans: int plus bool, bool plus bool."""
import jax
import jax.numpy as jnp


@jax.jit
def crossings(x):
    n = 0
    for i in range(1, x.shape[0]):
        n = n + (x[i - 1] * x[i] < 0)
    return n


@jax.jit
def parity(flags):
    odd = False
    for i in range(flags.shape[0]):
        odd = odd ^ flags[i]
    return odd


@jax.jit
def seen(flags):
    hit = flags[0]
    for i in range(1, flags.shape[0]):
        hit = hit + flags[i]
    return hit


# call: crossings(jnp.array([1.0, -1.0, 0.0, 2.0, -3.0, jnp.nan]))
# call: crossings(jnp.array([1.0]))
# call: parity(jnp.array([True, True, True]))
# call: seen(jnp.array([True, False, True]))
