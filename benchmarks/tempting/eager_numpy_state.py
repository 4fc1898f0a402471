"""A NumPy state is changed in place by the eager loop, and seen by the caller."""

import jax
import jax.numpy as jnp
import numpy as np


def relax(u, rounds):
    for _ in range(rounds):
        u[1:-1] = 0.5 * (u[:-2] + u[2:])
        u *= 0.999
        u += 0.0 * np.sin(u)
    return u


def integrate(u: jax.Array, rounds, h=0.01):
    peak = 0
    for k in range(rounds):
        force = jnp.sin(u) * jnp.cos(2 * u) - jnp.tanh(u) * jnp.mean(u) / (1 + u**2)
        u = u + h * force - h * jnp.roll(u, 1) + h * jnp.exp(-(u**2)) - h * jnp.sqrt(jnp.abs(u)) * h
        peak = max(peak, jnp.max(u))
    return u, peak


# call: relax(np.arange(6.0), 3)
# call: integrate(jnp.arange(6.0), 0)
# call: integrate(jnp.arange(6.0), 30)
# call: integrate(jnp.array([jnp.nan, 1.0]), 3)
