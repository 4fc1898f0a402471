"""The other array is longer, shorter, or has one row."""

import jax
import jax.numpy as jnp


def affine(x, w, b):
    return x @ w + b


def layers(xs: jax.Array, ws: jax.Array, bs: jax.Array):
    out = []
    for i in range(xs.shape[0]):
        out.append(affine(xs[i], ws[i], bs[i]))
    return jnp.stack(out)


def zipped(xs: jax.Array, bs: jax.Array):
    return jnp.stack([jnp.tanh(x + b) for x, b in zip(xs, bs)])


# call: layers(jnp.ones((3, 2)), jnp.ones((5, 2, 2)), jnp.arange(4.0))
# call: layers(jnp.ones((3, 2)), jnp.ones((3, 2, 2)), jnp.arange(1.0))
# call: layers(jnp.ones((2, 2)), jnp.ones((2, 2, 2), jnp.int32), jnp.ones((2, 2)))
# call: zipped(jnp.ones((3, 2)), jnp.arange(5.0))
