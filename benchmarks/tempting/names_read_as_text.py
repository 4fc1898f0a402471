"""Names are read by their text, where no reader of the code sees it."""

import jax
import jax.numpy as jnp


def by_locals(x: jax.Array):
    total = jnp.zeros_like(x)
    for i in range(12):
        total = total * 0.5 + locals()["i"]
    return total


def by_eval(x: jax.Array):
    rate = 0.5
    for i in range(12):
        x = eval("x * rate + i")
    return x


# call: by_locals(jnp.array([1.0, 2.0]))
# call: by_eval(jnp.array([1.0, 2.0]))
