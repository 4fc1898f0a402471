"""Neighbouring frames, strides and pairs, with one row or none."""
import jax
import jax.numpy as jnp


@jax.jit
def flux(frames):
    out = []
    for a, b in zip(frames, frames[1:]):
        out.append(jnp.abs(b - a).sum())
    return sum(out)


@jax.jit
def windows(x):
    out = []
    for i in range(0, x.shape[0] - 2, 2):
        out.append(x[i:i + 3].max() - x[i + 3 - x.shape[0]])
    return jnp.array(out)


@jax.jit
def corr(x, y):
    out = []
    for lag in range(-2, 3):
        out.append(jnp.sum(x * jnp.roll(y, lag)) + x[lag])
    return jnp.stack(out)


@jax.jit
def upsampled(x):
    y = jnp.zeros(2 * x.shape[0])
    for i in range(x.shape[0]):
        y = y.at[2 * i].set(x[i])
        y = y.at[2 * i + 1].set(0.5 * (x[i] + x[i - 1]))
    return y


# call: flux(jnp.array([[200, 1], [3, 250]], dtype=jnp.uint8))
# call: flux(jnp.ones((1, 2)))
# call: windows(jnp.arange(8.0) ** 2)
# call: windows(jnp.arange(7))
# call: corr(jnp.arange(4.0), jnp.arange(4.0) ** 2)
# call: corr(jnp.array([100, 27], dtype=jnp.int8), jnp.array([2, 3], dtype=jnp.int8))
# call: upsampled(jnp.arange(3.0))
# call: upsampled(jnp.array([7]))
