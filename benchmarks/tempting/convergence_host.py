"""Host while loops on array values, with counters."""
import jax
import jax.numpy as jnp


def power_iteration(a, v, tol=1e-4):
    change, n = 1.0, 0
    while change > tol and n < 100:
        new = a @ v
        new = new / jnp.linalg.norm(new)
        change = jnp.max(jnp.abs(new - v))
        v = new
        n += 1
    return v, n


def bisect(lo, hi):
    while hi - lo > 1e-3:
        mid = 0.5 * (lo + hi)
        if mid**3 - mid - 2 > 0:
            hi = mid
        else:
            lo = mid
    return lo


def draining(level):
    n = 0
    while jnp.any(level > 0):
        level = level - jnp.arange(1, level.shape[0] + 1)
        n = n + 1
    return level, n


# call: power_iteration(jnp.array([[2.0, 1.0], [1.0, 3.0]]), jnp.array([1.0, 0.0]))
# call: bisect(1.0, 2.0)
# call: bisect(jnp.float32(1.0), jnp.float32(2.0))
# call: draining(jnp.array([5, 9]))
# call: draining(jnp.array([-1.0, jnp.nan]))
