"""The last three states are held in a queue of limited length, shorter at first."""

from collections import deque

import jax
import jax.numpy as jnp


@jax.jit
def smoothed(xs):
    window = deque(maxlen=3)
    out = []
    for x in xs:
        window.append(x)
        out.append(sum(window) / len(window))
    return jnp.stack(out)


@jax.jit
def delayed(x):
    a, b, c = x * 0, x * 0, x
    for i in range(14):
        a, b, c = b, c, c * 0.5 - a + i
    return a, b, c


# call: smoothed(jnp.array([1.0, 2.0, 6.0, 4.0, jnp.nan, 3.0, 0.0, 1.0, 2.0]))
# call: smoothed(jnp.array([100, 100, 100, -28], dtype=jnp.int8))
# call: smoothed(jnp.array([[1, 2]]))
# call: delayed(jnp.array([1.0, -2.0]))
# call: delayed(jnp.int32(4))
# call: delayed(jnp.float16(0.5))
