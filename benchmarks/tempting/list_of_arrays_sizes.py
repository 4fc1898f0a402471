"""A list of arrays: all equal in one call, of two sizes in the other."""

import jax
import jax.numpy as jnp


def pool(x):
    return jnp.stack([x.mean(0), x.max(0)])


def pooled(xs):
    return jnp.stack([pool(x) for x in xs])


def pooled_arrays(xs: list[jax.Array]):
    total = 0
    for x in xs:
        total = total + pool(x)
    return total


# call: pooled([jnp.ones((2, 3)), jnp.ones((4, 3))])
# call: pooled(jnp.arange(12.0).reshape(2, 2, 3))
# call: pooled_arrays([jnp.ones((2, 3)), jnp.ones((4, 3), jnp.int32)])
# call: pooled_arrays([])
