"""An assert on values before a guarded division."""

import jax
import jax.numpy as jnp


@jax.jit
def harmonic(x):
    assert jnp.all(x > 0), "positive"
    if jnp.min(x) > 1e-3:
        return x.size / jnp.sum(1 / x)
    return jnp.min(x)


# call: harmonic(jnp.array([1.0, 2.0]))
# call: harmonic(jnp.array([1e-6, 2.0]))
# call: harmonic(jnp.array([1, 3]))
