"""Rows of a NumPy buffer are written, and the argument is changed in place."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def project(v):
    return v / jnp.maximum(jnp.linalg.norm(v), 1.0)


def project_rows(data):
    for i in range(data.shape[0]):
        data[i] = project(data[i])
    return data


def norms(data):
    out = np.empty(len(data), dtype=np.float64)
    for i, row in enumerate(data):
        out[i] = project(row).sum()
    return out


# call: project_rows(np.arange(6.0).reshape(3, 2))
# call: project_rows(np.arange(6).reshape(3, 2))
# call: norms(np.arange(6.0).reshape(3, 2))
# call: norms(np.zeros((0, 2)))
