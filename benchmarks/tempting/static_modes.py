"""Flags, modes and axes given as static arguments."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=(1, 2))
def pooled(x, mode, rounds):
    for _ in range(rounds):
        if mode == "max":
            x = jnp.maximum(x, jnp.roll(x, 1))
        elif mode == "mean":
            x = 0.5 * (x + jnp.roll(x, 1))
        else:
            x = x + 1
    return x


@functools.partial(jax.jit, static_argnames=("axis", "keep"))
def reduced(x, axis, keep=False):
    for k in range(3):
        x = x + jnp.sum(x, axis=axis, keepdims=True) / (k + 1)
    if keep:
        return x
    return x.max(axis)


def pipeline(x):
    return pooled(x, "max", 2), pooled(x, "mean", 0), reduced(x, 0), reduced(x, axis=-1, keep=True)


# call: pipeline(jnp.arange(6.0).reshape(2, 3))
# call: pooled(jnp.array([1, 2, 3]), "mean", 3)
# call: pooled(jnp.array([1, 2, 3]), "other", 4)
# call: reduced(jnp.ones((2, 3)), -2)
