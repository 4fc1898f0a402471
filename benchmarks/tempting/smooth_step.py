"""A step that is smooth to all orders at its edge: the second derivative there."""

import jax
import jax.numpy as jnp


@jax.jit
def bump(x):
    if x > 0:
        return jnp.exp(-1.0 / x)
    return jnp.zeros_like(x)


@jax.jit
def soft(x):
    if x <= 0:
        return x * 0.0
    elif x >= 1:
        return x * 0.0 + 1.0
    return x * x * (3.0 - 2.0 * x)


def bend(x):
    return jax.grad(jax.grad(bump))(x)


def bend_soft(x):
    return jax.grad(jax.grad(soft))(x)


# call: bump(jnp.float32(0.5))
# call: bump(jnp.float32(-0.5))
# call: bend(jnp.float32(0.5))
# call: bend(jnp.float32(-0.5))
# call: bend(jnp.float32(0.0))
# call: bend_soft(jnp.float32(0.5))
# call: bend_soft(jnp.float32(-0.5))
# call: bend_soft(jnp.float32(2.0))
