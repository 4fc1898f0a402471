"""The test itself does something: it takes from a list, or prints, once for each time it is asked."""

import jax
import jax.numpy as jnp


def ask(i, x):
    print("ask", i, float(x))
    return x > i


def asked(x: jax.Array):
    i = 0
    while ask(i, x) and i < 6:
        x = x - 1
        i += 1
    return x, i


def taken(x: jax.Array, queue):
    while queue and (w := queue.pop()) is not None:
        x = x * w
    return x


@jax.jit
def unasked(x):
    i = 0
    while x > i and i < 6:
        x = x - 1
        i += 1
    return x, i


# call: asked(jnp.float32(5.0))
# call: asked(jnp.int32(0))
# call: taken(jnp.array([1.0, 2.0]), [2, None, 3, 0.5])
# call: taken(jnp.array([1, 2], dtype=jnp.int8), [])
# call: unasked(jnp.int32(5))
# call: unasked(jnp.uint8(0))
# call: unasked(x=jnp.float32(jnp.nan))
# call: unasked(9)
