"""Rows treated in NumPy double precision in a file of JAX."""
import jax.numpy as jnp
import numpy as np


def detrended(rows):
    out = []
    for row in rows:
        t = np.arange(len(row))
        slope, offset = np.polyfit(t, row, 1)
        out.append(row - slope * t - offset)
    return np.array(out)


def loss(rows):
    return jnp.sum(jnp.asarray(detrended(rows)) ** 2)


def log_sums(rows):
    return np.stack([np.log(np.sum(np.exp(row - row.max()))) + row.max() for row in rows])


# call: detrended(np.arange(12.0).reshape(3, 4) ** 2)
# call: loss(np.arange(8.0).reshape(2, 4) ** 2)
# call: log_sums(np.array([[1e20, 1.0], [-800.0, -801.0]]))
# call: log_sums(np.ones((1, 3), dtype=np.float32))
