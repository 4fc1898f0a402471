"""Orbit lengths of complex points: escaped orbits must stop, or they run to inf and NaN."""

import jax
import jax.numpy as jnp


@jax.jit
def escape(c):
    z = c * 0
    n = 0
    while n < 25 and z.real * z.real + z.imag * z.imag <= 4:
        z = z * z + c
        n += 1
    return z, n


@jax.jit
def orbit(c):
    z = 0
    for _ in range(12):
        z = z * z * 0.5 + c
    return z


# call: escape(jnp.complex64(0.25 + 0.5j))
# call: escape(jnp.complex64(1 + 1j))
# call: escape(jnp.complex64(3))
# call: escape(jnp.complex64(complex("nan")))
# call: escape(jnp.complex64(-1j))
# call: orbit(jnp.array([0.25 + 0.5j, -1, 1j]))
# call: orbit(jnp.array([0.25, -0.5]))
# call: orbit(jnp.int32(0))
