"""A dict gets a key in one arm only, and its value in the other."""

import jax
import jax.numpy as jnp


@jax.jit
def scaled(state, x):
    norm = jnp.sqrt(jnp.sum(x**2))
    if norm > state["limit"]:
        state["scale"] = state["limit"] / norm
    else:
        state["scale"] = 1.0
    return x * state["scale"]


# call: scaled({"limit": jnp.float32(1.0), "scale": jnp.float32(0.0)}, jnp.array([3.0, 4.0]))
# call: scaled({"limit": jnp.float32(10.0), "scale": jnp.float32(0.0)}, jnp.array([3.0, 4.0]))
# call: scaled({"limit": jnp.float32(10.0)}, jnp.array([0.0, 0.0]))
