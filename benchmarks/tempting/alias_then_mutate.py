"""An alias of a NumPy state that is mutated afterwards."""
import numpy as np


def diffusion(u, steps):
    for _ in range(steps):
        prev = u
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * prev[i] + 0.25 * (prev[i - 1] + prev[i + 1])
    return u


def jacobi(u, steps):
    for _ in range(steps):
        prev = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = 0.5 * (prev[i - 1] + prev[i + 1])
    return u


def snapshots(u, steps):
    kept = []
    for _ in range(steps):
        u *= 0.5
        kept.append(u)
    return np.stack(kept)


# call: diffusion(np.array([0.0, 1.0, 4.0, 9.0, 2.0]), 3)
# call: jacobi(np.array([0.0, 1.0, 4.0, 9.0, 2.0]), 3)
# call: snapshots(np.array([1.0, 2.0]), 3)
# call: diffusion(np.array([5, 1, 4, 9]), 2)
