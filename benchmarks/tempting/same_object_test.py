"""Whether a value is the very object of before is a question about Python objects, not about values."""

import jax
import jax.numpy as jnp


def damp(x):
    return x if x.ndim == 0 else x * 0.5


def settle(x: jax.Array):
    trips = 0
    for _ in range(8):
        new = damp(x)
        trips += 1
        if new is x:
            break
        x = new
    return x, trips


@jax.jit
def settle_by_value(x):
    trips = 0
    for _ in range(8):
        new = x // 2
        trips += 1
        if (new == x).all():
            break
        x = new
    return x, trips


# call: settle(jnp.array([4.0, -1.0]))
# call: settle(jnp.float32(4.0))
# call: settle(jnp.array([4, -1]))
# call: settle_by_value(jnp.array([9, 4]))
# call: settle_by_value(jnp.array([-1, -128], dtype=jnp.int8))
# call: settle_by_value(jnp.zeros((0,), jnp.int32))
# call: settle_by_value(7 * jnp.ones((), jnp.uint8))
