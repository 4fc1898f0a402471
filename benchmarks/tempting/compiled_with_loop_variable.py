"""A function compiled inside a loop closes over what the loop changes; taken out of it, it would see one value."""

import functools

import jax
import jax.numpy as jnp


def scaled_each(xs: jax.Array):
    scale = 1
    out = []
    for x in xs:
        out.append(jax.jit(lambda v: v * scale)(x))
        scale += 1
    return jnp.stack(out), scale


def scaled_alike(xs: jax.Array, scale=3):
    out = []
    for x in xs:
        out.append(jax.jit(lambda v: v * scale - 1)(x))
    return jnp.stack(out)


def powers(x: jax.Array):
    def power(p, v):
        return v**p

    out = 0
    for p in range(4):
        out = out + jax.jit(functools.partial(power, p))(x)
    return out


# call: scaled_each(jnp.array([1.0, 2.0, 3.0]))
# call: scaled_each(jnp.array([100, 100], dtype=jnp.int8))
# call: scaled_alike(jnp.array([1.0, jnp.nan]))
# call: scaled_alike(jnp.array([100, 100], dtype=jnp.int8), 2)
# call: scaled_alike(jnp.array([1, 2]), jnp.array([0.5, 2.0]))
# call: powers(jnp.array([2, -3], dtype=jnp.int8))
# call: powers(jnp.array([0.0, -2.0]))
