"""Python sums of truths and of lists of numbers have no end."""

import jax
import jax.numpy as jnp


@jax.jit
def hits(xs, lo):
    n = 0
    for x in xs:
        n += bool(1) * (x > lo)
    return n


@jax.jit
def weighted(xs):
    total = 0
    for k, x in enumerate(xs):
        total += (k + 1) * x
    return total / len(xs)


# call: hits(jnp.arange(12.0), 3)
# call: hits(jnp.arange(12, dtype=jnp.uint8), jnp.uint8(3))
# call: weighted(jnp.arange(12.0))
# call: weighted(jnp.arange(12, dtype=jnp.int8))
# call: weighted(jnp.ones(9, jnp.float16))
# call: weighted(jnp.array([True, False, True]))
