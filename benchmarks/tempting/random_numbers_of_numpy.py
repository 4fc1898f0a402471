"""A generator of NumPy draws anew on each trip; drawn once, while tracing, the noise would repeat."""

import jax
import jax.numpy as jnp
import numpy as np


def shaken(x: jax.Array, seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        x = x + rng.integers(-3, 4, size=x.shape)
    return x


def fixed_noise(x: jax.Array, seed):
    noise = jnp.asarray(np.random.default_rng(seed).integers(-3, 4, size=5))
    for _ in range(10):
        x = x * 0.5 + noise
    return x


# call: shaken(jnp.array([1, 2, 3]), 0)
# call: shaken(jnp.array([1.0, 2.0]), 4)
# call: shaken(jnp.float32(1.0), 4)
# call: fixed_noise(jnp.array([1.0, 2.0, 3.0, 4.0, 5.0]), 1)
# call: fixed_noise(jnp.int32(5), 1)
