"""Each trip asks the world outside."""

import jax
import jax.numpy as jnp
import os
import random
import time


def jittered(x: jax.Array, seed=3):
    random.seed(seed)
    for _ in range(12):
        x = jnp.sin(x) + random.random()
    return x


def configured(x: jax.Array):
    for i in range(12):
        x = jnp.sin(x) + float(os.environ.get(f"GAIN_{i}", "0.5"))
    return x


def not_too_long(x: jax.Array):
    begun = time.monotonic()
    for _ in range(12):
        x = jnp.sin(x)
        if time.monotonic() - begun > 60:
            break
    return x


# call: jittered(jnp.array([1.0, 2.0]))
# call: configured(jnp.array([1.0, 2.0]))
# call: not_too_long(jnp.array([1.0, 2.0]))
