"""Whole numbers of NumPy with 64 bits."""
import jax.numpy as jnp
import numpy as np


def checksums(rows):
    out = np.zeros(len(rows), dtype=np.int64)
    for i, row in enumerate(rows):
        h = np.int64(5381)
        for v in row:
            h = (h * 33 + v) % np.int64(179424673000000)
        out[i] = h
    return out


def squares(values):
    return np.array([int(v) ** 3 for v in values])


def prefix(values):
    out = np.empty(len(values), dtype=np.int64)
    total = 0
    for i in range(len(values)):
        total += int(values[i])
        out[i] = total
    return jnp.asarray(out % 1000)


# call: checksums(np.arange(24).reshape(2, 12))
# call: squares(np.array([5000, -7000]))
# call: squares([1])
# call: prefix(np.array([2_000_000_000, 2_000_000_001, 7]))
