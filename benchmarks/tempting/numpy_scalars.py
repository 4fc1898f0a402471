"""NumPy scalars that decide the type of a carry."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def cooled(x):
    t = np.float32(1.0)
    for i in range(6):
        x = x * t
        t = t * np.float32(0.5)
    return x, t


@jax.jit
def strong(x):
    s = jnp.float32(0)
    for v in x:
        s = s + v
    return s


@jax.jit
def typed_index(x):
    n = np.int8(100)
    for i in range(4):
        x = x + n
    return x


# call: cooled(jnp.array([1.0, 2.0]))
# call: cooled(jnp.array([1, 2]))
# call: strong(jnp.array([1, 2, 3]))
# call: typed_index(jnp.array([100, 1], dtype=jnp.int8))
# call: typed_index(jnp.array([100, 1], dtype=jnp.uint8))
