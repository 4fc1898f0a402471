"""The names that a rewrite would choose are taken."""

import jax
import jax.numpy as jnp


def body(i, x):
    return jnp.tanh(x) * 0.5 + i


@jax.jit
def run(x, lax=2.0, step=0.1):
    for i in range(30):
        x = body(i, x) * lax - step
    cond = x.sum()
    while cond > 1.0:
        cond = cond * step
        x = x - cond
    return x, cond


@jax.jit
def tail(carry, state):
    init = carry
    for row in state:
        init = init * 0.5 + row
    return init + carry


# call: run(jnp.ones(3))
# call: run(jnp.zeros(3), 1.0, 0.5)
# call: tail(jnp.ones(2), jnp.ones((20, 2)))
