"""A return from the loop's middle with another type than the last one."""

import jax
import jax.numpy as jnp


@jax.jit
def blow_up_time(x, dt):
    for i in range(50):
        x = x + dt * x * x
        if jnp.any(x > 100.0):
            return i * dt
    return jnp.inf


# call: blow_up_time(jnp.array([1.0, 2.0]), 0.1)
# call: blow_up_time(jnp.zeros(2), 0.1)
# call: blow_up_time(jnp.array([jnp.nan, 1.0]), jnp.float32(0.1))
# call: blow_up_time(jnp.array([200, 3]), 1)
