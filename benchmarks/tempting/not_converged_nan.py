"""`while not err < tol` goes on with NaN until the bound."""

import jax
import jax.numpy as jnp


@jax.jit
def fixed_point(x, tol):
    err = x + 1
    trips = 0
    while not err < tol and trips < 25:
        new = jnp.cos(x) * jnp.sqrt(x)
        err = jnp.abs(new - x)
        x = new
        trips = trips + 1
    return x, trips


# call: fixed_point(jnp.float32(0.5), 1e-4)
# call: fixed_point(jnp.float32(-0.5), 1e-4)
# call: fixed_point(jnp.float32(-1.0), 1e-4)
# call: fixed_point(jnp.float32(0.5), jnp.float32(jnp.inf))
