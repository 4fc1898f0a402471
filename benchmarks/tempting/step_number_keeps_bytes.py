"""The step number is a Python int: added to bytes it leaves them bytes, a 32-bit counter would widen them."""

import jax
import jax.numpy as jnp


@jax.jit
def climb(x):
    for i in range(40):
        x = x * 3 + i
    return x


@jax.jit
def shifted(x):
    out = x
    for k in range(1, 7):
        out = out ^ (x >> k)
    return out


# call: climb(jnp.array([1, 7, 100], dtype=jnp.int8))
# call: climb(jnp.array([1, 7, 100], dtype=jnp.uint8))
# call: climb(jnp.array([0.5, -0.25], dtype=jnp.float16))
# call: climb(jnp.array([True, False]))
# call: shifted(jnp.array([-128, -1, 77, 127], dtype=jnp.int8))
# call: shifted(jnp.array([255, 128, 1], dtype=jnp.uint8))
# call: shifted(jnp.int32(-12345))
# call: shifted(200)
