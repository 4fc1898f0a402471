"""Branches of compiled functions whose sides differ in type, shape or safety."""
import jax
import jax.numpy as jnp


@jax.jit
def clipped(x, hi):
    if x > hi:
        return hi
    return x * 1


@jax.jit
def signum(x):
    return 1 if x > 0 else -1 if x < 0 else 0


@jax.jit
def broadcast(x, row):
    if x > 0:
        y = row * x
    else:
        y = 0.0
    return y


@jax.jit
def divided(a, b):
    if b != 0:
        q = a // b
    else:
        q = 0
    return q


# call: clipped(jnp.float32(5.0), 3)
# call: clipped(jnp.int32(5), 2.5)
# call: signum(jnp.float32(jnp.nan))
# call: signum(jnp.float32(-0.0))
# call: broadcast(jnp.float32(-1.0), jnp.arange(3.0))
# call: divided(jnp.int32(-7), jnp.int32(2))
# call: divided(jnp.float32(1e20), jnp.float32(0.0))
# call: divided(jnp.uint8(200), 3)
