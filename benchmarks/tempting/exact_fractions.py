"""Fractions and decimals are exact until they meet an array."""

import jax
import jax.numpy as jnp
import decimal
from fractions import Fraction


def harmonic(x: jax.Array, n=12):
    h = Fraction(0)
    for k in range(1, n):
        h = h + Fraction(1, k)
        x = x * 0.5 + float(h)
    return x, h.denominator


def money(x: jax.Array):
    total = decimal.Decimal("0.1")
    for k in range(12):
        total = total + decimal.Decimal("0.2")
        x = x + float(total)
    return x


# call: harmonic(jnp.array([1.0, 2.0]))
# call: money(jnp.array([1.0, 2.0]))
