"""Nested lists: a matrix built row by row, with a ragged twin."""
import jax
import jax.numpy as jnp


@jax.jit
def gram(x):
    rows = []
    for i in range(x.shape[0]):
        row = []
        for j in range(x.shape[0]):
            row.append(jnp.exp(-jnp.sum((x[i] - x[j]) ** 2)))
        rows.append(jnp.stack(row))
    return jnp.stack(rows)


def triangle(x):
    rows = []
    for i in range(x.shape[0]):
        rows.append([x[i] * x[j] for j in range(i + 1)])
    return rows


@jax.jit
def lower(x):
    n = x.shape[0]
    m = jnp.zeros((n, n))
    for i in range(n):
        for j in range(i):
            m = m.at[i, j].set(x[i] - 2 * x[j])
    return m


# call: gram(jnp.array([[0.0, 1.0], [1.0, 1.0], [jnp.inf, 0.0]]))
# call: triangle(jnp.arange(3.0))
# call: lower(jnp.arange(4.0))
# call: lower(jnp.array([100, 50], dtype=jnp.uint8))
