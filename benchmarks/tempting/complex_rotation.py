"""Rotations of a complex signal by a Python complex number."""
import cmath

import jax
import jax.numpy as jnp


@jax.jit
def demodulated(x):
    w = 1.0
    step = cmath.exp(0.7j)
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * w
        w = w * step
    return total


@jax.jit
def energy(z):
    e = 0.0
    for i in range(z.shape[0]):
        e = e + (z[i] * z[i].conj()).real
    return e


@jax.jit
def mandel(c):
    z = 0
    for _ in range(6):
        z = z * z + c
    return z


# call: demodulated(jnp.linspace(-1.0, 1.0, 6))
# call: demodulated(jnp.array([1 + 2j, 3j]))
# call: energy(jnp.array([1 + 2j, 3j, jnp.nan]))
# call: mandel(jnp.array([0.1 + 0.2j, -1.0]))
# call: mandel(jnp.array([1, -1]))
