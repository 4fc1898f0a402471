"""The list is lengthened by the loop that reads it."""

import jax
import jax.numpy as jnp


def doubling(xs: jax.Array):
    items = list(xs)
    for x in items:
        if len(items) < 9:
            items.append(x * 2)
    return jnp.stack(items)


def recurrence(xs: jax.Array, n):
    seq = [x for x in xs]
    for i in range(n):
        seq.append(seq[-1] - seq[i])
    return jnp.array(seq), len(seq)


# call: doubling(jnp.array([1, 50], dtype=jnp.int8))
# call: doubling(jnp.array([1.5]))
# call: doubling(jnp.arange(10))
# call: recurrence(jnp.array([1, 4, 9]), 6)
# call: recurrence(jnp.array([1.0, 0.5]), 0)
# call: recurrence(jnp.array([200, 7], dtype=jnp.uint8), 3)
