"""Default arguments and a static one that differs from call to call."""

import jax
import jax.numpy as jnp


def kernel(x, y, scale=2, *, power=2):
    d = jnp.sum(jnp.abs(x - y) ** power)
    return jnp.exp(-d / scale)


def gram(xs: jax.Array, ys: jax.Array, scales=None):
    rows = []
    for i in range(xs.shape[0]):
        row = []
        for j in range(ys.shape[0]):
            row.append(kernel(xs[i], ys[j]) if scales is None else kernel(xs[i], ys[j], scales[j]))
        rows.append(jnp.stack(row))
    return jnp.stack(rows)


# call: gram(jnp.arange(6.0).reshape(3, 2), jnp.ones((2, 2)))
# call: gram(jnp.arange(6.0).reshape(3, 2), jnp.ones((2, 2)), [1, 2.0])
# call: gram(jnp.arange(6).reshape(3, 2), jnp.ones((3, 2)), jnp.arange(1.0, 4.0))
