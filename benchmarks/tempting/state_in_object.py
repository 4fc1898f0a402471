"""The object keeps a running mean from example to example."""

import jax
import jax.numpy as jnp


class Normaliser:
    def __init__(self, size):
        self.mean = jnp.zeros(size)
        self.count = 0

    def __call__(self, x):
        self.count += 1
        self.mean = self.mean + (x - self.mean) / self.count
        return x - self.mean


def normalised(xs: jax.Array):
    normaliser = Normaliser(xs.shape[1])
    out = []
    for x in xs:
        out.append(normaliser(x))
    return jnp.stack(out)


# call: normalised(jnp.arange(12.0).reshape(4, 3))
# call: normalised(jnp.ones((1, 3)))
# call: normalised(jnp.arange(12).reshape(4, 3))
