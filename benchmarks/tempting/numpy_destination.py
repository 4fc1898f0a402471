"""A NumPy destination filled from JAX values, narrowing their type."""
import jax.numpy as jnp
import numpy as np


def energies(rows):
    out = np.zeros(len(rows), dtype=np.int32)
    for i in range(len(rows)):
        out[i] = jnp.sum(rows[i] ** 2)
    return out


def filled(rows, out):
    for i, row in enumerate(rows):
        out[i] = jnp.tanh(row)
    return out


def norms(rows):
    out = np.empty((rows.shape[0], 2))
    for i in range(rows.shape[0]):
        out[i, 0] = jnp.abs(rows[i]).max()
        out[i, 1] = jnp.linalg.norm(rows[i])
    return out


# call: energies(jnp.array([[0.5, 1.5], [2.9, 0.0]]))
# call: filled(jnp.ones((2, 3)), np.zeros((4, 3), dtype=np.float16))
# call: norms(jnp.array([[3.0, 4.0], [jnp.nan, 1.0]]))
# call: norms(jnp.ones((1, 2)))
