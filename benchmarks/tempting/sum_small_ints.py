"""Sums of small whole numbers and of signed bytes, which wrap."""
import jax
import jax.numpy as jnp


@jax.jit
def squares(x):
    s = 0
    for i in range(x.shape[0]):
        s = s + x[i] * x[i]
    return s


@jax.jit
def signed(x):
    s = 0
    for k in range(x.shape[0]):
        s = s + (-1) ** k * x[k]
    return s


@jax.jit
def weighted(x):
    s = x[0] * 0
    for k in range(x.shape[0]):
        s = s + (k + 1) * x[k]
    return s


# call: squares(jnp.array([200, 100, 3], dtype=jnp.uint8))
# call: squares(jnp.array([100, -128], dtype=jnp.int8))
# call: signed(jnp.array([100, -128, 127], dtype=jnp.int8))
# call: weighted(jnp.array([200, 100, 3], dtype=jnp.uint8))
# call: weighted(jnp.array([30000, 30000], dtype=jnp.int16))
# call: squares(jnp.array([True, True]))
