"""Functions chosen from a table by a Python number, a negative one counted from the end."""

import jax
import jax.numpy as jnp

STEPS = [lambda x: x + 1, lambda x: x * 2, lambda x: -x]


@jax.jit
def in_turn(x):
    for i in range(12):
        x = STEPS[i % 3](x)
    return x


@jax.jit
def chosen(which, x):
    if which == 0:
        return STEPS[0](x)
    elif which == 1:
        return STEPS[1](x)
    elif which == -1:
        return STEPS[-1](x)
    return x


@jax.jit
def backwards(x):
    for k in range(-1, -4, -1):
        x = STEPS[k](x) - k
    return x


# call: in_turn(jnp.array([1.0, jnp.nan]))
# call: in_turn(jnp.array([1, 7], dtype=jnp.uint8))
# call: chosen(jnp.int32(-1), jnp.array([1.0, 2.0]))
# call: chosen(jnp.int32(5), jnp.array([1.0, 2.0]))
# call: chosen(jnp.float32(0.5), jnp.array([1, 2]))
# call: chosen(1, jnp.array([100, -3], dtype=jnp.int8))
# call: chosen(jnp.array(True), jnp.array([3]))
# call: backwards(jnp.int8(126))
