"""A total started from a Python number takes the type of what is added; one from an array keeps its own."""

import jax
import jax.numpy as jnp


@jax.jit
def weak(xs):
    t = 0.0
    for x in xs:
        t = t + x * 0.5
    return t


@jax.jit
def strong(xs):
    t = jnp.zeros(())
    for x in xs:
        t = t + x * 0.5
    return t


@jax.jit
def one_of_the_two(xs, t=1):
    for x in xs:
        t = t * x
    return t


# call: weak(jnp.ones(9, jnp.float16))
# call: weak(jnp.array([[100, 3], [100, 4]], dtype=jnp.int8))
# call: weak(jnp.zeros((0,), jnp.bfloat16))
# call: strong(jnp.ones(9, jnp.float16))
# call: strong(jnp.zeros((0, 2), jnp.bfloat16))
# call: one_of_the_two(jnp.array([100, 3, 2], dtype=jnp.int8))
# call: one_of_the_two(jnp.array([100, 3, 2], dtype=jnp.int8), jnp.int16(1))
# call: one_of_the_two(jnp.array([True, True]), True)
