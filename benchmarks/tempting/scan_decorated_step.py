"""The step is decorated: its decorator reads what the step does not."""

import functools

import jax
import jax.numpy as jnp


def with_noise(step):
    @functools.wraps(step)
    def wrapped(carry, x):
        carry, y = step(carry, x)
        return carry + 0.1 * x, y

    return wrapped


@jax.jit
def roll(x, n):
    @with_noise
    def step(carry, _):
        return jnp.tanh(carry), carry

    final, _ = jax.lax.scan(step, x, jnp.arange(20.0))
    return final


# call: roll(jnp.ones(3), 2)
# call: roll(jnp.float32(0.0), 2)
