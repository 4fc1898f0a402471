"""The first of equal ones wins; NaN never does."""

import jax
import jax.numpy as jnp


@jax.jit
def best_of(xs):
    best = -jnp.inf
    where = -1
    for i in range(xs.shape[0]):
        if xs[i] > best:
            best = xs[i]
            where = i
    return best, where


@jax.jit
def longest_run(xs):
    run = longest = 0
    for i in range(xs.shape[0]):
        if i > 0 and xs[i] == xs[i - 1]:
            run += 1
        else:
            run = 1
        longest = max(longest, run)
    return longest


# call: best_of(jnp.zeros(20).at[3].set(jnp.nan))
# call: best_of(jnp.arange(20))
# call: best_of(jnp.arange(20, dtype=jnp.float16) % 7)
# call: longest_run(jnp.array([1.0, 1.0, 2.0] * 8))
