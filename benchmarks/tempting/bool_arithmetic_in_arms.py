"""Truth values are added, negated and chosen between."""

import jax
import jax.numpy as jnp


@jax.jit
def score(x, y):
    s = x > 0
    if y > 0:
        s = s + (y > 1)
    return s


@jax.jit
def toggled(flag, x):
    if x > 0:
        flag = not flag
    return flag


# call: score(jnp.float32(1.0), jnp.float32(2.0))
# call: score(jnp.float32(1.0), jnp.float32(-2.0))
# call: toggled(jnp.array(True), jnp.float32(1.0))
# call: toggled(False, jnp.float32(1.0))
