"""The text printed for each trip is built in Python from the trip number."""

import jax
import jax.numpy as jnp


@jax.jit
def narrated(x):
    for i in range(5):
        x = x * 0.5 + i
        jax.debug.print(f"step {i:02d}: {{v}}", v=x, ordered=True)
    return x


@jax.jit
def numbered(x):
    for i in range(5):
        x = x * 0.5
        jax.debug.print("{i}|{v}", i=i, v=x, ordered=True)
    return x


# call: narrated(x=jnp.float32(4.0))
# call: narrated(x=jnp.int32(3))
# call: numbered(x=jnp.float32(8.0))
# call: numbered(x=jnp.array([1.0, jnp.nan]))
