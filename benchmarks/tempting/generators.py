"""Generators and iterators consumed by loops."""
import itertools

import jax.numpy as jnp


def batches(x, size):
    for i in range(0, len(x), size):
        yield x[i:i + size]


def epoch(x, size):
    s = 0.0
    n = 0
    for b in batches(x, size):
        s = 0.9 * s + b.sum()
        n += 1
    return s, n


def twice(it):
    it = iter(it)
    head = next(it)
    out = head
    for v in it:
        out = out * 0.5 + v
    return out, list(it)


def pairs(x):
    s = 0.0
    for a, b in itertools.pairwise(x):
        s = s * 0.9 + a * b
    return s


# call: epoch(jnp.arange(7.0), 3)
# call: epoch(jnp.zeros(0), 3)
# call: twice(jnp.arange(4.0))
# call: pairs(jnp.arange(5.0))
# call: pairs(jnp.arange(1.0))
