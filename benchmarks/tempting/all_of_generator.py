"""What is gone over may be a list of pairs and a list of numbers."""

import jax
import jax.numpy as jnp


@jax.jit
def inside(box, p):
    ok = all(b[0] <= q < b[1] for b, q in zip(box, p))
    n = sum(q > 0 for q in p)
    return ok, n

# call: inside(jnp.array([[0.0, 1.0], [0.0, 1.0]]), jnp.array([0.5, 0.5]))
# call: inside(jnp.array([[0.0, 1.0], [0.0, 1.0]]), jnp.array([0.5, 0.5, 7.0]))
# call: inside(jnp.zeros((0, 2)), jnp.zeros(0))
# call: inside([(0, 1)], [jnp.int32(1)])
