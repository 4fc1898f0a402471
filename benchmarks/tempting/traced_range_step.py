"""A range with traced bounds and its variable used after it."""

import jax
import jax.numpy as jnp


@jax.jit
def horner(coefficients, x, degree):
    value = 0.0
    for k in range(degree, -1, -1):
        value = value * x + coefficients[k]
    return value


@jax.jit
def compound(balance, rate, years):
    year = 0
    for year in range(1, years):
        balance = balance * (1 + rate / year)
    return balance, year


# call: horner(jnp.arange(6.0), jnp.float32(2.0), 5)
# call: horner(jnp.arange(6.0), jnp.float32(2.0), -1)
# call: horner(jnp.arange(6), 2, 3)
# call: compound(jnp.float32(1.0), 0.1, 0)
