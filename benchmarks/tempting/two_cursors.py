"""Merging two sorted arrays with two cursors."""
import jax
import jax.numpy as jnp


@jax.jit
def merge(a, b):
    i, j = 0, 0
    out = jnp.zeros(a.shape[0] + b.shape[0])
    for k in range(a.shape[0] + b.shape[0]):
        left = a[jnp.minimum(i, a.shape[0] - 1)]
        right = b[jnp.minimum(j, b.shape[0] - 1)]
        take = (j >= b.shape[0]) | ((i < a.shape[0]) & (left <= right))
        out = out.at[k].set(jnp.where(take, left, right))
        i = i + take
        j = j + (1 - take)
    return out, i, j


def intersect(a, b):
    i = j = 0
    n = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            n += 1
            i += 1
            j += 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return n


# call: merge(jnp.array([1.0, 3.0, 3.0]), jnp.array([2.0, 3.0]))
# call: merge(jnp.array([jnp.nan, 3.0]), jnp.array([2.0]))
# call: intersect(jnp.array([1, 2, 4, 4]), jnp.array([2, 4, 9]))
# call: intersect(jnp.zeros(0), jnp.array([2]))
