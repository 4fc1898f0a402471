"""The dummy xs is read after all: by its shape, in a default, through locals."""

import jax
import jax.numpy as jnp


@jax.jit
def relax(x, n_like):
    def step(carry, dummy):
        return carry * 0.9 + dummy.shape[0], carry.sum()

    final, sums = jax.lax.scan(step, x, jnp.zeros((30, 4)))
    return final, sums


@jax.jit
def grow(x):
    def step(carry, *rest):
        return carry + len(rest), None

    final, _ = jax.lax.scan(step, x, jnp.zeros(30))
    return final


# call: relax(jnp.ones(3), 2)
# call: grow(jnp.ones(3))
# call: grow(jnp.int32(0))
