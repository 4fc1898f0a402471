"""Pages along the last axis."""

import jax
import jax.numpy as jnp


@jax.jit
def traces(stack):
    return jnp.array([jnp.trace(stack[..., k]) for k in range(stack.shape[-1])])


@jax.jit
def determinants(stack):
    out = jnp.zeros(stack.shape[-1])
    for k in range(stack.shape[-1]):
        out = out.at[k].set(jnp.linalg.det(stack[:, :, k]))
    return out


# call: traces(jnp.arange(48.0).reshape(2, 2, 12))
# call: traces(jnp.arange(8).reshape(2, 2, 2))
# call: determinants(jnp.arange(48.0).reshape(2, 2, 12) % 7)
# call: determinants(jnp.ones((2, 2, 1)))
