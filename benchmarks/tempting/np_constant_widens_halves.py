"""A NumPy scalar widens half precision, a weak constant of the same value does not."""

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def scaled(x):
    for i in range(12):
        x = x * 0.5 + np.sqrt(2)
    return x


@jax.jit
def gelu_ish(x):
    c = np.float32(0.044715)
    if x.ndim > 0 and x.shape[0] > 2:
        return x + c * x**3
    return x * np.pi


@jax.jit
def stepped(x):
    for h in np.linspace(0, 1, 9):
        x = x + h
    return x


# call: scaled(jnp.ones(2, jnp.float16))
# call: scaled(jnp.array([1, -3], dtype=jnp.int8))
# call: scaled(jnp.array([1.0, jnp.inf]))
# call: gelu_ish(jnp.ones(3, jnp.bfloat16))
# call: gelu_ish(jnp.ones(2, jnp.bfloat16))
# call: gelu_ish(jnp.arange(4))
# call: stepped(jnp.ones(2, jnp.float16))
# call: stepped(jnp.int32(1))
