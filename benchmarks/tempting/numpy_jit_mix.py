"""NumPy constants computed per trip inside a compiled function."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def filtered(x):
    for k in range(6):
        taps = np.hanning(5) ** k
        x = x + jnp.convolve(x, taps / taps.sum(), mode="same")
    return x


@jax.jit
def scaled(x):
    for k in range(5):
        x = x * np.float32(0.5) + np.int64(3) * k
    return x


@jax.jit
def table(x):
    grid = np.linspace(0.0, 1.0, 5)
    for k in range(5):
        x = x + jnp.where(x > grid[k], 1, grid[k])
    return x


# call: filtered(jnp.arange(8.0))
# call: scaled(jnp.arange(4.0))
# call: scaled(jnp.arange(4, dtype=jnp.int16))
# call: table(jnp.array([0.5, 0.25, jnp.nan]))
# call: table(jnp.array([0, 1]))
