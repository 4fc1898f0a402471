"""A Python list holds whole numbers, floats and a bool: as one array they would all be floats."""

import jax
import jax.numpy as jnp

WEIGHTS = [1, 2, 0, 3, True, 4, 5, 1]
FRACTIONS = (1, 0.5, 2, 0.25, 4, 8, 1, 16)


@jax.jit
def whole(x):
    for i in range(len(WEIGHTS)):
        x = x * 2 + WEIGHTS[i]
    return x


@jax.jit
def fractions(x):
    acc = 0
    for i, w in enumerate(FRACTIONS, start=-3):
        acc = acc + x * w - i
    return acc


@jax.jit
def until_float(x):
    for w in [3, 5, 7, 2, 0.5]:
        x = x // 2 if isinstance(w, float) else x * w
    return x


# call: whole(jnp.array([1, -7], dtype=jnp.int8))
# call: whole(jnp.array([True, False]))
# call: whole(jnp.array([0.5], dtype=jnp.float16))
# call: fractions(jnp.array([1, -7], dtype=jnp.int8))
# call: fractions(jnp.array([0.5, jnp.inf]))
# call: fractions(3)
# call: until_float(jnp.array([1, -7], dtype=jnp.int8))
# call: until_float(jnp.array([0.5, -1.0]))
