"""Pieces of a curve which agree in value and slope but not in the second derivative."""

import jax
import jax.numpy as jnp


@jax.jit
def huber(x):
    if x < -1:
        return -x - 0.5
    elif x <= 1:
        return 0.5 * x * x
    else:
        return x - 0.5


def bend(x: jax.Array):
    return huber(x), jax.grad(huber)(x), jax.grad(jax.grad(huber))(x)


@jax.jit
def smooth(x):
    x = jnp.clip(x, 0, 1)
    if x == 0.5:
        return x
    return x * x * (3 - 2 * x)


# call: bend(jnp.float32(1.0))
# call: bend(jnp.float32(-1.0))
# call: bend(jnp.float32(3.0))
# call: bend(jnp.float32(jnp.nan))
# call: huber(jnp.int8(-128))
# call: huber(2)
# call: smooth(jnp.float32(0.5))
# call: smooth(jnp.float32(1.0))
