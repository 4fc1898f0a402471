"""The place of the largest so far, strictly larger or not."""

import jax
import jax.numpy as jnp


@jax.jit
def last_max(xs):
    best, at = xs[0], 0
    for i in range(1, xs.shape[0]):
        if xs[i] >= best:
            best, at = xs[i], i
    return best, at


@jax.jit
def longest_run(bits):
    run = best = 0
    for b in bits:
        if b > 0:
            run = run + 1
        else:
            run = 0
        if run > best:
            best = run
    return best


# call: last_max(jnp.array([1.0, 5.0, 5.0, jnp.nan, 4.0, 5.0, 2.0, 1.0, 0.0]))
# call: last_max(jnp.array([3]))
# call: longest_run(jnp.array([1, 1, 0, 1, 1, 1, 0, 0, 1]))
# call: longest_run(jnp.array([True, True, False]))
# call: longest_run(jnp.array([1.0, 1.0, 0.0]))
