"""A trip count that is static, far or negative."""
import functools

import jax
import jax.numpy as jnp


@functools.partial(jax.jit, static_argnums=0)
def cooled(n, x):
    t = 1.0
    for k in range(n):
        t = t * 0.9
        x = x * t + 1.0 / (k + 1)
    return x, t


@functools.partial(jax.jit, static_argnums=(1, 2, 3))
def stepped(x, start, stop, step):
    for k in range(start, stop, step):
        x = x * 0.5 + k
    return x


@functools.partial(jax.jit, static_argnames="stages")
def cascade(x, stages=4):
    for s in range(stages):
        x = jnp.where(x > s, x - s, x * (s + 1))
    return x


# call: cooled(0, jnp.ones(2))
# call: cooled(300, jnp.ones(2))
# call: stepped(jnp.ones(2), 10, -10, -3)
# call: stepped(jnp.ones(2), 2**40, 2**40 + 3, 1)
# call: cascade(jnp.array([1, 5, -3]))
# call: cascade(jnp.array([1.0, jnp.nan]), stages=0)
