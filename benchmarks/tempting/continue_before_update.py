"""A continue skips the update of the state, not of the counter."""

import jax
import jax.numpy as jnp


@jax.jit
def robust_mean(xs):
    mean = jnp.zeros((), xs.dtype)
    n = 0
    for i in range(xs.shape[0]):
        x = xs[i]
        if jnp.isnan(x):
            continue
        n = n + 1
        if x > 1e6:
            continue
        mean = mean + (x - mean) / n
    return mean, n


# call: robust_mean(jnp.arange(40.0))
# call: robust_mean(jnp.full(40, jnp.nan))
# call: robust_mean(jnp.arange(40.0).at[3].set(jnp.nan).at[0].set(1e20))
# call: robust_mean(jnp.arange(40))
