"""The break in the middle leaves half of the body done."""

import jax
import jax.numpy as jnp


@jax.jit
def bisect(lo, hi, target):
    steps = 0
    while True:
        mid = 0.5 * (lo + hi)
        value = mid**3
        steps = steps + 1
        if jnp.abs(value - target) < 1e-4 or steps > 40:
            break
        if value < target:
            lo = mid
        else:
            hi = mid
    return lo, hi, mid, steps


# call: bisect(jnp.float32(0.0), jnp.float32(4.0), 8.0)
# call: bisect(jnp.float32(0.0), jnp.float32(4.0), jnp.float32(5.0))
# call: bisect(0.0, 4, jnp.float32(5.0))
# call: bisect(jnp.float32(0.0), jnp.float32(1.0), jnp.float32(jnp.nan))
