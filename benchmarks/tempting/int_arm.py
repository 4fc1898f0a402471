"""One arm gives a Python int, the other a float of the array's type."""

import jax
import jax.numpy as jnp


@jax.jit
def level(x):
    if x.sum() > 0:
        y = 1
    else:
        y = x.mean()
    return y * x


# call: level(jnp.linspace(-2.0, 2.0, 5))
# call: level(jnp.ones(3))
# call: level(jnp.zeros(3, jnp.int32))
# call: level(jnp.ones(3, jnp.int8))
