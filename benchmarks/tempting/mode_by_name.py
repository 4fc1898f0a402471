"""A mode named by a text chooses the branch; its callers also pass other things."""

import jax
import jax.numpy as jnp


@jax.jit
def activate(x, mode="relu"):
    if mode == "relu":
        return jnp.maximum(x, 0)
    elif mode == "leaky":
        return jnp.where(x > 0, x, 0.1 * x)
    elif mode is None:
        return x
    raise ValueError(f"mode {mode!r}")


def both(x):
    return activate(x, "leaky"), activate(x), activate(x, mode=None)


# call: activate(jnp.array([1.0, -2.0, jnp.nan]))
# call: activate(jnp.array([1, -2]), "relu")
# call: activate(jnp.array([1.0, -2.0]), None)
# call: activate(jnp.array([1, -2], dtype=jnp.int8), "leaky")
# call: both(jnp.array([-1.0, 0.0]))
# call: both(-3)
