"""Bools, counts and Python ints stacked per example."""

import jax
import jax.numpy as jnp


def flags(x):
    return (x > 0).all(), jnp.sum(x > 0), len(x)


def table(xs: jax.Array):
    oks, counts, sizes = [], [], []
    for x in xs:
        ok, count, size = flags(x)
        oks.append(ok)
        counts.append(count)
        sizes.append(size)
    return jnp.array(oks), jnp.array(counts), jnp.array(sizes), sizes


# call: table(jnp.arange(12.0).reshape(4, 3))
# call: table(jnp.zeros((0, 3)))
# call: table(jnp.array([[True, False], [True, True]]))
# call: table(jnp.arange(6, dtype=jnp.uint8).reshape(2, 3))
