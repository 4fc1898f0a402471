"""A function that gives None where there is nothing, filtered afterwards."""

import jax
import jax.numpy as jnp


def valid(x):
    if x.shape[0] == 0 or bool(jnp.isnan(x).any()):
        return None
    return x / x.sum()


def all_valid(xs: jax.Array):
    out = [valid(x) for x in xs]
    return jnp.stack([o for o in out if o is not None])


def check_all(xs: jax.Array):
    return [valid(x) for x in xs]


# call: all_valid(jnp.arange(1.0, 7.0).reshape(3, 2))
# call: all_valid(jnp.array([[jnp.nan, 1.0], [1.0, 3.0]]))
# call: check_all(jnp.array([[jnp.nan, 1.0], [1.0, 3.0]]))
# call: check_all(jnp.zeros((2, 0)))
