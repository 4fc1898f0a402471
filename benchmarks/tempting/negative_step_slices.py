"""Counting down skips what does not fit the step, and index -1 comes after 0."""

import jax
import jax.numpy as jnp


@jax.jit
def every_third_from_the_end(x):
    acc = jnp.zeros_like(x[0])
    for i in range(len(x) - 1, -1, -3):
        acc = acc * 0.5 + x[i]
    return acc


@jax.jit
def differences(x):
    out = []
    for i in range(len(x) - 1, 0, -1):
        out.append(x[i] - x[i - 1])
    return jnp.stack(out)


# call: every_third_from_the_end(jnp.arange(20.0))
# call: every_third_from_the_end(jnp.arange(16.0).reshape(8, 2))
# call: differences(jnp.array([1.0, 4.0, 9.0, 16.0, 25.0, 36.0, 49.0, 64.0, 81.0]))
# call: differences(jnp.arange(12))
