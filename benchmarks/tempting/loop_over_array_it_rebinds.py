"""The loop goes on over the array it began with, although its name gets another one meanwhile."""

import jax
import jax.numpy as jnp


@jax.jit
def rebinding(xs):
    total = 0
    for x in xs:
        total = total + x * xs[0]
        xs = xs - 1
    return total, xs


@jax.jit
def shadowing(x):
    acc = x * 0
    for x in [x, x + 1, x * 2, x - 3, x, x, x * 5, x]:
        acc = acc * 2 + x
        x = x * 100
    return acc, x


# call: rebinding(jnp.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0, 5.0]))
# call: rebinding(jnp.array([[100, 3], [50, 2]], dtype=jnp.int8))
# call: rebinding(jnp.array([2], dtype=jnp.uint8))
# call: rebinding(jnp.zeros((0, 3)))
# call: shadowing(jnp.array([1.0, -2.0]))
# call: shadowing(jnp.int8(3))
# call: shadowing(True)
