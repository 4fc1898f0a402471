"""The selector is a float in one of the callers; 2.5 is none of the cases."""

import jax
import jax.numpy as jnp


@jax.jit
def order(x, k):
    if k == 0:
        y = jnp.ones_like(x)
    elif k == 1:
        y = x
    elif k == 2:
        y = 0.5 * (3 * x**2 - 1)
    else:
        y = 0.5 * (5 * x**3 - 3 * x)
    return y


def table(x):
    return [order(x, k / 2) for k in range(7)]


# call: order(jnp.linspace(-1.0, 1.0, 5), 2.5)
# call: order(jnp.linspace(-1.0, 1.0, 5), jnp.float32(0.5))
# call: order(jnp.linspace(-1.0, 1.0, 5), True)
# call: order(jnp.linspace(-1.0, 1.0, 5), jnp.float32(jnp.nan))
