"""What the dummy counts is not what stands in it."""

import jax
import jax.numpy as jnp


@jax.jit
def by_step(x):
    def step(c, _):
        return jnp.sin(c), None

    final, _ = jax.lax.scan(step, x, jnp.arange(0, 1, 0.1))
    return final


@jax.jit
def by_points(x):
    def step(c, _):
        return jnp.cos(c), None

    final, _ = jax.lax.scan(step, x, jnp.linspace(0, 1))
    return final


@jax.jit
def by_like(x, ys):
    def step(c, _):
        return c * 0.5 + 1, c

    return jax.lax.scan(step, x, jnp.zeros_like(ys))


# call: by_step(jnp.float32(0.5))
# call: by_points(jnp.float32(0.5))
# call: by_like(jnp.float32(0.5), jnp.ones((7, 3)))
# call: by_like(jnp.float32(0.5), jnp.ones(1))
