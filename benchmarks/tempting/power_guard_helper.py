"""The guard is in the caller, the power in a helper."""

import jax
import jax.numpy as jnp


def shaped(r, gamma):
    return r**gamma / (1 + r**gamma)


@jax.jit
def hill(x, gamma):
    if x <= 0.0:
        y = jnp.asarray(0.0, x.dtype)
    elif x > 1e4:
        y = jnp.asarray(1.0, x.dtype)
    else:
        y = shaped(x, gamma)
    return y


def fit(xs, gamma):
    return jax.grad(lambda g: sum(hill(x, g) for x in xs))(gamma)


# call: hill(jnp.float32(0.0), jnp.float32(0.5))
# call: hill(jnp.float32(-2.0), jnp.float32(0.5))
# call: hill(jnp.float32(1e20), jnp.float32(2.5))
# call: hill(jnp.float32(2.0), 2)
