"""Hand-written kinks: the ready functions have another slope where the kink is."""

import jax
import jax.numpy as jnp


@jax.jit
def relu(x):
    if x > 0:
        return x
    return x * 0


@jax.jit
def magnitude(x):
    if x < 0:
        y = -x
    else:
        y = x
    return y


@jax.jit
def larger(a, b):
    if a >= b:
        return a
    else:
        return b


# call: relu(jnp.float32(0.0))
# call: relu(jnp.float32(jnp.nan))
# call: relu(jnp.float32(-jnp.inf))
# call: magnitude(jnp.float32(0.0))
# call: magnitude(jnp.int8(-128))
# call: magnitude(jnp.float32(-0.0))
# call: larger(jnp.float32(2.0), jnp.float32(2.0))
# call: larger(jnp.float32(jnp.nan), jnp.float32(1.0))
