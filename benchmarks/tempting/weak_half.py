"""An accumulator that starts as a Python float and takes the type of the data."""
import jax
import jax.numpy as jnp


@jax.jit
def leaky(x, decay):
    level = 0.0
    peak = -1.0
    for i in range(x.shape[0]):
        level = level * decay + x[i]
        peak = jnp.maximum(peak, level)
    return level, peak


@jax.jit
def mean_power(x):
    s = 0
    for i in range(x.shape[0]):
        s = s + x[i] * x[i] * 0.5
    return s / x.shape[0]


# call: leaky(jnp.linspace(-1.0, 2.0, 9), 0.9)
# call: leaky(jnp.arange(5), 2)
# call: mean_power(jnp.array([100, 200, 250], dtype=jnp.uint8))
# call: mean_power(jnp.array([True, False]))
