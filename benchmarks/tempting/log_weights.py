"""Weights from math functions of the index."""
import math

import jax
import jax.numpy as jnp


@jax.jit
def dcg(rel):
    total = 0.0
    for i in range(rel.shape[0]):
        total = total + (2 ** rel[i] - 1) / math.log2(i + 2)
    return total


@jax.jit
def binomial_smooth(x):
    out = x * 0
    n = 40
    for k in range(n):
        out = out + math.comb(n, k) / 2**n * jnp.roll(x, k)
    return out


@jax.jit
def gamma_terms(x):
    out = x
    for k in range(1, 30):
        out = out + math.exp(-math.lgamma(k)) * jnp.cos(x * math.sqrt(k))
    return out


# call: dcg(jnp.array([3.0, 2.0, 0.0, 1.0]))
# call: dcg(jnp.array([3, 2, 0]))
# call: binomial_smooth(jnp.arange(5.0))
# call: gamma_terms(jnp.linspace(-1.0, 1.0, 3))
