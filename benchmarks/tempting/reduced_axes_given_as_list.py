"""The axes are a tuple for one caller and a list for another, which cannot be hashed."""

import jax
import jax.numpy as jnp


@jax.jit
def reduced(x, axes=(0,)):
    for a in sorted(axes, reverse=True):
        x = x.sum(axis=a)
    return x


def both(x):
    return reduced(x), reduced(x, [1, 0]), reduced(x, axes=(1,))


@jax.jit
def padded(x, width):
    if width > 0:
        return jnp.pad(x, width)
    return x


# call: reduced(jnp.arange(24).reshape(2, 3, 4), (0, 2))
# call: reduced(jnp.arange(24.0).reshape(2, 3, 4), [2, 0])
# call: reduced(jnp.ones((2, 3), jnp.int8))
# call: reduced(jnp.ones((2, 3)), ())
# call: both(jnp.arange(6.0).reshape(2, 3))
# call: padded(jnp.ones(2), 1)
# call: padded(jnp.ones(2), 0)
# call: padded(jnp.ones(2, jnp.int8), 3)
