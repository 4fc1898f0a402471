"""Functions made in the loop see the last value of its variable."""

import jax
import jax.numpy as jnp


def make(xs: jax.Array):
    functions = []
    for i in range(xs.shape[0]):
        functions.append(lambda v: v * xs[i] + i)
    return functions


def apply_all(xs: jax.Array, v):
    return jnp.stack([f(v) for f in make(xs)])


def jitted_all(xs: jax.Array, v):
    out = []
    for i, x in enumerate(xs):
        out.append(jax.jit(lambda v: v * x + i)(v))
    return jnp.stack(out)


# call: apply_all(jnp.arange(3.0), jnp.ones(2))
# call: jitted_all(jnp.arange(3.0), jnp.ones(2))
# call: jitted_all(jnp.arange(3), jnp.ones(2, jnp.float16))
