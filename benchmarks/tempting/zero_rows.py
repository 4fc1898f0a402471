"""Accumulators over no row at all."""
import jax
import jax.numpy as jnp


@jax.jit
def column_sum(img):
    s = 0
    for r in range(img.shape[0]):
        s = s + img[r]
    return s


@jax.jit
def leaky(x, decay):
    level = 0.0
    for i in range(x.shape[0]):
        level = level * decay + x[i]
    return level


@jax.jit
def product(x):
    p = 1
    for row in x:
        p = p * (1 + row)
    return p


# call: column_sum(jnp.zeros((0, 2)))
# call: leaky(jnp.zeros((0, 3)), jnp.ones(3))
# call: leaky(jnp.zeros(0), 0.5)
# call: product(jnp.zeros((0, 2)))
# call: product(jnp.array([[100, 3], [7, 100]], dtype=jnp.uint8))
