"""The length of a zero vector has no derivative: an arm which is not taken must not bring NaN into the gradient."""

import jax
import jax.numpy as jnp


@jax.jit
def unit(v):
    n2 = jnp.sum(v * v)
    if n2 > 0:
        out = v / jnp.sqrt(n2)
    else:
        out = v
    return out


@jax.jit
def slope(v):
    def height(t):
        if t > 0:
            return t**1.5 * jnp.log(t)
        return t * 0

    return jax.grad(height)(v), jax.grad(jax.grad(height))(v)


# call: unit(jnp.zeros(3))
# call: unit(jnp.array([3.0, 4.0]))
# call: unit(v=jnp.array([jnp.nan, 1.0]))
# call: unit(jnp.array([1e-30, 0.0]))
# call: slope(jnp.float32(0.0))
# call: slope(jnp.float32(2.0))
# call: slope(jnp.float32(-1.0))
