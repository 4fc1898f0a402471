"""The length test guards the element that is read."""

import jax
import jax.numpy as jnp


@jax.jit
def lead(x):
    if x.shape[0] > 2 and x[2] > 0:
        return x.sum()
    elif x.shape[0] > 0 and x[0] < 0:
        return -x.sum()
    else:
        return jnp.zeros(())


# call: lead(jnp.zeros((0,)))
# call: lead(jnp.array([-1.0]))
# call: lead(jnp.array([-1.0, 2.0, 3.0]))
# call: lead(jnp.array([-1.0, 2.0, jnp.nan]))
