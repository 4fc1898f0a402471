"""Factorials and binomials leave every type, bits are counted by methods of ints."""

import jax
import jax.numpy as jnp
import math


@jax.jit
def taylor(x):
    total = 0.0
    for k in range(25):
        total = total + x**k / math.factorial(k)
    return total


@jax.jit
def smoothed(x):
    out = x
    for k in range(12):
        out = out * 0.5 + math.comb(40, k) + k.bit_length() + divmod(k, 5)[1] + pow(3, k, 7)
    return out


# call: taylor(jnp.float32(1.5))
# call: taylor(jnp.array([1.0, -2.0]))
# call: smoothed(jnp.array([1.0, -2.0]))
# call: smoothed(jnp.int8(3))
