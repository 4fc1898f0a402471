"""The builtin sum, any and all over generators of array values."""
import jax
import jax.numpy as jnp


@jax.jit
def autocorr(x, y):
    return sum(x[i] * y[i + 1] for i in range(x.shape[0] - 1))


@jax.jit
def weighted(x):
    return sum((i + 1) * x[i] for i in range(x.shape[0]))


def first_bad(x):
    return any(v / (v - 1.0) < 0 for v in x)


# call: autocorr(jnp.arange(5.0), jnp.arange(5.0))
# call: autocorr(jnp.arange(1.0), jnp.arange(1.0))
# call: weighted(jnp.array([100, 200, 50], dtype=jnp.uint8))
# call: first_bad(jnp.array([2.0, 0.5, 1.0]))
