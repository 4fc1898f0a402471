"""NumPy's slices are views: what is written to one is read from the other."""

import jax
import jax.numpy as jnp
import numpy as np


def smooth(x: np.ndarray):
    inner = x[1:-1]
    for _ in range(9):
        inner += 0.25 * (x[:-2] - 2 * x[1:-1] + x[2:])
    return jnp.asarray(x)


# call: smooth(np.linspace(0.0, 1.0, 7) ** 2)
# call: smooth(np.zeros(2))
