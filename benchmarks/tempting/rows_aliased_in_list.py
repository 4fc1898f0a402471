"""The rows of a list are one and the same object until one is replaced."""

import jax
import jax.numpy as jnp
import numpy as np


def stamped(n, x: jax.Array):
    rows = [np.zeros(2, np.int32)] * n
    for i in range(n):
        rows[i][0] += i
    return np.stack(rows) if n else x * 0


def replaced(x: jax.Array):
    rows = [x] * 6
    for i in range(1, 6):
        rows[i] = rows[i - 1] * 2 - i
    return jnp.stack(rows)


def mirrored(x: jax.Array):
    a = b = [x]
    for i in range(4):
        a.append(b[-1] + i)
    return len(b), jnp.stack(a)


# call: stamped(3, jnp.ones(2))
# call: stamped(0, jnp.ones(2))
# call: replaced(jnp.array([1.0, -2.0]))
# call: replaced(jnp.int8(30))
# call: replaced(jnp.array([True, False]))
# call: mirrored(jnp.array([1.0, jnp.nan]))
# call: mirrored(jnp.array([100, 3], dtype=jnp.int8))
