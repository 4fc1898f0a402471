"""Branches on a value whose two sides have different number types."""
import jax
import jax.numpy as jnp


def damped(x):
    if x > 0:
        y = x * 2
    else:
        y = 0
    return y


def limited(x, cap):
    if x > cap:
        return cap
    return x


def step_size(err, tol):
    if err > tol:
        h = 0.5
    elif err == tol:
        h = 1
    else:
        h = 2 * err
    return h


# call: damped(jnp.float32(-1.0))
# call: damped(jnp.int32(5))
# call: limited(jnp.float32(jnp.nan), 3)
# call: limited(jnp.int32(9), 2.5)
# call: step_size(jnp.float32(0.1), 0.1)
# call: step_size(jnp.float32(jnp.nan), 0.1)
