"""The bounds stay whole numbers of the type the caller gave, and squares of a wide first guess would wrap around."""

import jax
import jax.numpy as jnp


@jax.jit
def insertion_point(xs, v):
    lo, hi = 0, xs.shape[0]
    while lo < hi:
        mid = (lo + hi) // 2
        if xs[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo


@jax.jit
def integer_root(n, lo, hi):
    steps = 0
    while hi - lo > 1:
        mid = lo + (hi - lo) // 2
        if mid * mid <= n:
            lo = mid
        else:
            hi = mid
        steps += 1
    return lo, steps


# call: insertion_point(jnp.array([1, 3, 3, 3, 9]), 3)
# call: insertion_point(jnp.array([1, 3, 3, 3, 9]), jnp.int32(10))
# call: insertion_point(xs=jnp.array([1.0, 2.0, jnp.nan]), v=1.5)
# call: insertion_point(jnp.zeros((0,), jnp.int32), 5)
# call: integer_root(jnp.int32(99), 0, 50)
# call: integer_root(jnp.int8(99), jnp.int8(0), jnp.int8(11))
# call: integer_root(jnp.uint8(200), jnp.uint8(0), jnp.uint8(15))
# call: integer_root(99, 3, 4)
