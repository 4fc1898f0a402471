"""The caller's list and dict are changed by the loop, and are read by the caller after it."""

import jax
import jax.numpy as jnp


def halve_all(weights):
    for i in range(len(weights)):
        weights[i] = weights[i] / 2
    return weights[0]


def drain(jobs, x: jax.Array):
    while jobs:
        name, w = jobs.popitem()
        x = x * w + len(name)
    return x


def copied(weights, x: jax.Array):
    out = list(weights)
    for i in range(len(out)):
        x = x * 0.5 + out[i]
    return x


# call: halve_all([1, 3.0, jnp.array([1, 2])])
# call: halve_all([jnp.float16(3.0), True])
# call: drain({"a": 2, "long": 3.5, "b": 1}, jnp.array([1.0, 2.0]))
# call: drain({}, jnp.array([1, 2], dtype=jnp.int8))
# call: copied([1, 2, 3, 4, 5, 6, 7, 8], jnp.array([1.0, 2.0]))
# call: copied([], jnp.array([1, 2]))
# call: copied((0.5, 1, jnp.array([1.0, jnp.inf])), jnp.int32(3))
