"""Welford's running mean and variance."""
import jax
import jax.numpy as jnp


@jax.jit
def welford(x):
    mean = x[0] * 0
    m2 = x[0] * 0
    for i in range(x.shape[0]):
        delta = x[i] - mean
        mean = mean + delta / (i + 1)
        m2 = m2 + delta * (x[i] - mean)
    return mean, m2


@jax.jit
def harmonic(x):
    acc = x * 0
    for i in range(1, 40):
        acc = acc + x / i
    return acc


# call: welford(jnp.array([1.0, 5.0, -2.0, 8.0]))
# call: welford(jnp.array([3, 4, 8]))
# call: welford(jnp.array([200, 100, 250], dtype=jnp.uint8))
# call: harmonic(jnp.array([1.0, -2.0]))
