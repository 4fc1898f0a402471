"""The function gives Python floats; their list is not stacked by JAX."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def loss(x):
    return jnp.mean((x - 1) ** 2)


def evaluate(xs):
    losses = []
    for x in xs:
        losses.append(float(loss(x)))
    return sum(losses) / max(len(losses), 1), np.array(losses)


# call: evaluate(jnp.arange(6.0).reshape(3, 2))
# call: evaluate(jnp.zeros((0, 2)))
# call: evaluate(jnp.arange(6).reshape(3, 2))
