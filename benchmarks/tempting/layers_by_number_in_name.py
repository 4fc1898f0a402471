"""The weights of each layer stand under a name made from its number, and not all have one shape."""

import jax
import jax.numpy as jnp


@jax.jit
def network(params, x):
    n = sum(k.startswith("w") for k in params)
    for i in range(n):
        x = x @ params[f"w{i}"]
        if f"b{i}" in params:
            x = x + params[f"b{i}"]
        if i < n - 1:
            x = jnp.maximum(x, 0)
    return x


@jax.jit
def same_shapes(params, x):
    for i in range(6):
        x = x * params[f"scale_{i % 2}"] + params["shift"]
    return x


# call: network({"w0": jnp.ones((2, 3)), "b0": jnp.array([1.0, -9.0, 0.5]), "w1": jnp.ones((3, 1))}, jnp.array([1.0, 2.0]))
# call: network({"w0": jnp.array([[1, 2], [3, 4]], dtype=jnp.int8)}, jnp.array([100, 3], dtype=jnp.int8))
# call: network({}, jnp.array([1.0, 2.0]))
# call: same_shapes({"scale_0": 2, "scale_1": jnp.array([0.5, 3.0]), "shift": 1}, jnp.array([1, 2]))
# call: same_shapes({"scale_0": jnp.int8(2), "scale_1": jnp.int8(-3), "shift": 1}, jnp.int8(7))
# call: same_shapes({"scale_0": 0.5, "scale_1": 2, "shift": jnp.float32(jnp.nan)}, jnp.ones(2, jnp.float16))
