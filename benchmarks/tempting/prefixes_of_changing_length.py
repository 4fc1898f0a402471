"""Each trip looks at a longer prefix; one of full length with zeros has another mean, maximum and type."""

import jax
import jax.numpy as jnp


@jax.jit
def prefix_max(xs):
    out = []
    for i in range(xs.shape[0]):
        out.append(jnp.max(xs[: i + 1]))
    return jnp.stack(out)


@jax.jit
def prefix_mean(xs):
    total = 0
    for i in range(1, xs.shape[0] + 1):
        total = total + jnp.mean(xs[:i])
    return total


@jax.jit
def blocks(xs):
    total = 0
    for i in range(0, xs.shape[0], 4):
        block = xs[i : i + 4]
        total = total * 2 + block.sum() * block.shape[0]
    return total


# call: prefix_max(jnp.array([-3.0, -5.0, -1.0, jnp.nan, 2.0, 3.0, 1.0, 4.0]))
# call: prefix_max(jnp.array([-3, -5, -1], dtype=jnp.int8))
# call: prefix_mean(jnp.array([1, 2, 4, 8, 16, 100, 100, 100], dtype=jnp.int8))
# call: prefix_mean(jnp.zeros((0,)))
# call: prefix_mean(jnp.array([True, False, True]))
# call: blocks(jnp.arange(10))
# call: blocks(jnp.arange(12.0))
# call: blocks(jnp.array([200, 100, 3], dtype=jnp.uint8))
