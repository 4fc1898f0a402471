"""Windows of one array beside single cells of another, which may be shorter."""

import jax
import jax.numpy as jnp


@jax.jit
def correlate(xs, kernel):
    out = []
    for i in range(xs.shape[0] - kernel.shape[0] + 1):
        out.append(jnp.dot(xs[i : i + kernel.shape[0]], kernel))
    return jnp.stack(out)


@jax.jit
def lagged(x, y):
    s = 0.0
    for i in range(1, x.shape[0]):
        s = s + x[i] * y[i - 1]
    return s


# call: correlate(jnp.arange(12.0), jnp.array([1.0, -1.0, 2.0]))
# call: correlate(jnp.arange(12), jnp.array([1, 2]))
# call: lagged(jnp.arange(12.0), jnp.arange(12.0))
# call: lagged(jnp.arange(12.0), jnp.arange(20.0))
# call: lagged(jnp.ones(9, jnp.int8), jnp.ones(9, jnp.float16))
