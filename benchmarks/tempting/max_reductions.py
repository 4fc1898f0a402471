"""Extremes kept in a loop: with a start value, NaN, ties, small types."""
import jax
import jax.numpy as jnp


@jax.jit
def peak(x):
    top = 0.0
    for i in range(x.shape[0]):
        top = jnp.maximum(top, x[i] * 2)
    return top


@jax.jit
def skip_nan(x):
    low = 1e9
    for v in x:
        low = jnp.where(v < low, v, low)
    return low


@jax.jit
def last_tie(x, y):
    best, at = x[0], y[0]
    for i in range(x.shape[0]):
        at = jnp.where(x[i] >= best, y[i], at)
        best = jnp.where(x[i] >= best, x[i], best)
    return best, at


@jax.jit
def all_small(x):
    ok = True
    for v in x:
        ok = ok & (jnp.abs(v) < 3)
    return ok


# call: peak(jnp.array([jnp.nan, 1.0]))
# call: peak(jnp.array([-1, -5]))
# call: peak(jnp.zeros(0))
# call: skip_nan(jnp.array([jnp.nan, 4.0, jnp.nan, 2.0]))
# call: skip_nan(jnp.array([5, 4], dtype=jnp.uint8))
# call: last_tie(jnp.array([1.0, 3.0, 3.0, jnp.nan]), jnp.arange(4))
# call: all_small(jnp.array([-128, 1], dtype=jnp.int8))
# call: all_small(jnp.zeros(0))
