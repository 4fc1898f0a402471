"""What is printed depends on the arm taken."""

import jax
import jax.numpy as jnp


@jax.jit
def damp(x):
    if jnp.max(x) > 10.0:
        print("damping")
        x = 0.5 * x
    elif jnp.min(x) < -10.0:
        jax.debug.print("lifting {}", x.min())
        x = x + 1.0
    return x


# call: damp(jnp.array([1.0, 11.0]))
# call: damp(jnp.array([1.0, 2.0]))
# call: damp(jnp.array([-11.0, 2.0]))
