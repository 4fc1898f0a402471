"""Selections by comparison, with ties, NaN and equal sizes."""
import jax
import jax.numpy as jnp


def median3(a, b, c):
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return b


def tier(income):
    if income < 10:
        rate = 0
    elif income < 100:
        rate = 0.1
    elif income < 1000:
        rate = 0.2
    else:
        rate = 1
    return income * rate


def nearest(x, grid):
    best = grid[0]
    for g in grid:
        if abs(x - g) < abs(x - best):
            best = g
    return best


# call: median3(jnp.float32(3.0), jnp.float32(jnp.nan), jnp.float32(1.0))
# call: median3(jnp.float32(3.0), 2, 1)
# call: tier(jnp.float32(jnp.nan))
# call: tier(jnp.int32(50))
# call: nearest(jnp.float32(0.5), jnp.array([0.0, 1.0]))
# call: nearest(jnp.float32(jnp.nan), jnp.array([0.0, 1.0]))
