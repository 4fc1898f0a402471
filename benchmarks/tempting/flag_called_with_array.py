"""The flag is a bool in one call and an array in another."""

import jax
import jax.numpy as jnp


@jax.jit
def moment(m, t, debias=True):
    if debias:
        return m / (1 - 0.9**t)
    return m


def both(m, flags):
    return moment(m, 3, debias=flags.any()), moment(m, 3, True)


# call: moment(jnp.ones(3), 2, True)
# call: moment(jnp.ones(3), 2, jnp.array(False))
# call: both(jnp.ones(3), jnp.array([False, False]))
# call: moment(jnp.ones(3), 0, 0)
