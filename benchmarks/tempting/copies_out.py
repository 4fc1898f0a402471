"""Per-trip NumPy copies of device values, and views of one buffer."""
import jax.numpy as jnp
import numpy as np


def trace(x, steps):
    out = []
    for _ in range(steps):
        x = jnp.sin(x)
        out.append(np.asarray(x))
    return np.stack(out)


def views(a):
    rows = []
    for i in range(a.shape[0]):
        rows.append(a[i])
    a[:] = 0
    return np.stack(rows)


def accumulated(a, steps):
    total = np.zeros_like(a)
    for k in range(steps):
        total += np.asarray(jnp.cos(jnp.asarray(a) * k))
    return total


# call: trace(jnp.array([1.0, 2.0]), 3)
# call: views(np.array([[1.0, 2.0], [3.0, 4.0]]))
# call: accumulated(np.array([1.0, 2.0]), 3)
# call: accumulated(np.array([1.0, 2.0], dtype=np.float32), 2)
