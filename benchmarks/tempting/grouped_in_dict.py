"""Groups come in the order in which their labels were met, and each has its own size."""

from collections import defaultdict

import jax
import jax.numpy as jnp


def grouped(labels: jax.Array, xs: jax.Array):
    groups = defaultdict(list)
    for k, x in zip(labels, xs):
        groups[int(k)].append(x)
    return list(groups), [sum(g) for g in groups.values()]


@jax.jit
def counted(labels):
    counts = jnp.zeros(5, jnp.int8)
    for k in labels:
        counts = counts.at[k].add(1)
    return counts


# call: grouped(jnp.array([3, 1, 3, 0]), jnp.array([1.0, 2.0, 4.0, 8.0]))
# call: grouped(jnp.array([3, 3, 3]), jnp.array([100, 100, 100], dtype=jnp.int8))
# call: grouped(jnp.array([2, 1]), jnp.array([True, False]))
# call: counted(jnp.array([3, 1, 3, 0, 9, -1, 4, 4]))
# call: counted(jnp.array([2], dtype=jnp.uint8))
# call: counted(jnp.zeros((0,), jnp.int32))
