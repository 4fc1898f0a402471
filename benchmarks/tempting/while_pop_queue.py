"""A while over a host list, with array states."""

import jax
import jax.numpy as jnp


@jax.jit
def reduce_all(xs):
    queue = [xs[i] for i in range(xs.shape[0])]
    total = queue.pop()
    while queue:
        total = jnp.logaddexp(total, queue.pop())
    return total


@jax.jit
def halve(x):
    while x.shape[0] > 1:
        x = x[::2] + x[1::2] if x.shape[0] % 2 == 0 else x[:-1]
    return x[0]


# call: reduce_all(jnp.arange(20.0))
# call: reduce_all(jnp.full(2, -jnp.inf))
# call: halve(jnp.arange(16.0))
# call: halve(jnp.arange(1.0))
