"""The built-ins min and max by a key give the first of equals; NaN never wins a comparison."""

import jax
import jax.numpy as jnp


def least_row(rows: jax.Array):
    return min(rows, key=lambda r: float(r.sum()))


def least_index(rows: jax.Array):
    best = 0
    for i in range(1, len(rows)):
        if rows[i].sum() < rows[best].sum():
            best = i
    return best, rows[best]


@jax.jit
def last_greatest(xs):
    best, at = xs[0], 0
    for i in range(1, xs.shape[0]):
        take = xs[i] >= best
        best = jnp.where(take, xs[i], best)
        at = jnp.where(take, i, at)
    return best, at


# call: least_row(jnp.array([[1, 2], [0, 0], [3, -3]]))
# call: least_row(jnp.array([[jnp.nan, 1.0], [0.0, 0.0]]))
# call: least_index(jnp.array([[jnp.nan, 1.0], [0.0, 0.0]]))
# call: least_index(jnp.array([[100, 100], [0, 127]], dtype=jnp.int8))
# call: least_index(jnp.ones((1, 2)))
# call: last_greatest(jnp.array([3, 7, 7, 1, 7, 2, 0, -1]))
# call: last_greatest(jnp.array([jnp.nan, 7.0, 8.0]))
# call: last_greatest(jnp.array([True, False, True]))
