"""The layers are applied as they stand in the dict, not as their names sort."""

import jax
import jax.numpy as jnp


@jax.jit
def forward(x):
    layers = {"up": 2.0, "bias": 1.0, "act": -0.5, "zero": 0.0, "again": 3.0, "down": 0.25, "b2": 1.0, "a2": 4.0}
    for name, w in layers.items():
        x = x * w + len(name)
    return x


@jax.jit
def folded(x, names=("gamma", "beta", "alpha", "delta")):
    table = {}
    for n in names:
        table[n] = x * len(table)
    out = x
    for n in table:
        out = out * 2 - table[n]
    return out, list(table)[0] == "gamma"


# call: forward(jnp.array([1.0, -2.0, jnp.nan]))
# call: forward(jnp.int32(3))
# call: forward(jnp.float16(0.1))
# call: forward(2)
# call: folded(jnp.arange(3.0))
# call: folded(jnp.array([100, -3], dtype=jnp.int8))
