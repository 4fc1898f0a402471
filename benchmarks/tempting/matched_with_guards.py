"""Patterns with guards and alternatives; the order of the cases decides."""

import jax
import jax.numpy as jnp


@jax.jit
def stage(x, kind="warm"):
    for i in range(12):
        match (kind, i % 3):
            case ("warm", 0 | 1):
                x = x * 0.5 + i
            case ("warm", k) if k == 2:
                x = x - 1
            case _:
                x = x * 2
    return x


# call: stage(jnp.array([1.0, 2.0]))
