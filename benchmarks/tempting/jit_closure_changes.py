"""Jit in a loop around a closure that changes from trip to trip."""

import jax
import jax.numpy as jnp


def sweep(x, rates):
    results = []
    scale = 1.0
    for rate in rates:

        @jax.jit
        def step(y):
            return y - rate * jnp.sin(y) * scale

        results.append(step(x))
        scale = scale * 0.5
    return results


def sweep_lambda(x, rates):
    out = []
    for rate in rates:
        f = jax.jit(lambda y: y * rate)
        out.append(f(x))
    return jnp.stack(out)


# call: sweep(jnp.ones(3), [0.1, 0.2])
# call: sweep(jnp.ones(3), [1, 2.5])
# call: sweep_lambda(jnp.arange(3), [1, 2.5])
# call: sweep_lambda(jnp.ones(3, jnp.float16), [0.5, 1.5])
