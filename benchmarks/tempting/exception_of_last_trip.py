"""What a late trip raises is caught outside of the loop."""

import jax
import jax.numpy as jnp


def until_bad(xs: jax.Array, ys):
    total = jnp.zeros(())
    try:
        for i in range(len(xs)):
            total = total + xs[i] * ys[i]
    except IndexError:
        total = -total
    return total


# call: until_bad(jnp.arange(12.0), [1.0] * 12)
# call: until_bad(jnp.arange(12.0), [1.0] * 9)
