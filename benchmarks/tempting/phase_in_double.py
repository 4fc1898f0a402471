"""An oscillator whose phase is computed from the index in double precision."""
import math

import jax
import jax.numpy as jnp


@jax.jit
def carrier(x):
    out = x
    for i in range(16):
        phase = (i * 123456789.125) % (2 * math.pi)
        out = out + 0.1 * jnp.sin(x + phase)
    return out


def dft_bin(x, k):
    re, im = 0.0, 0.0
    n = len(x)
    for i in range(n):
        angle = 2 * math.pi * k * i / n
        re = re + x[i] * math.cos(angle)
        im = im - x[i] * math.sin(angle)
    return re, im


# call: carrier(jnp.linspace(-1.0, 1.0, 6))
# call: dft_bin(jnp.linspace(-1.0, 1.0, 8), 3)
# call: dft_bin(jnp.linspace(-1.0, 1.0, 7), 1000000007)
# call: dft_bin(jnp.ones(1), 5)
