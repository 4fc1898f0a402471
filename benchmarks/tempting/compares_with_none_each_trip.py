"""Nothing is held at first, and that is asked on every trip."""

import jax
import jax.numpy as jnp


def peaks(xs: jax.Array):
    best = None
    for x in xs:
        best = x if best is None else jnp.maximum(best, x)
    return best


def previous(xs: jax.Array):
    before, total = None, 0
    for x in xs:
        if before is not None:
            total = total + abs(x - before)
        before = x
    return total


# call: peaks(jnp.arange(12.0))
# call: peaks(jnp.zeros((0,)))
# call: previous(jnp.array([1.0, -4.0, 9.0, -16.0, 25.0, -36.0, 49.0, 64.0, 81.0]))
# call: previous(jnp.array([3.0]))
# call: previous(jnp.array([3, 1, 2], dtype=jnp.uint8))
