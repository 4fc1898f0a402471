"""NumPy computes in 64 bits; the file uses JAX elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np


def centred(data):
    return np.stack([row - row.mean() for row in data])


@jax.jit
def loss(x):
    return jnp.sum(x**2)


def main():
    data = np.random.default_rng(0).normal(size=(40, 3))
    return loss(jnp.asarray(centred(data)))


# call: centred(np.linspace(0.0, 1.0, 12).reshape(4, 3))
