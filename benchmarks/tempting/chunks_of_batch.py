"""Batches by slices of a fixed size; the last one is shorter."""

import jax
import jax.numpy as jnp


@jax.jit
def predict(w, x):
    return jnp.tanh(x @ w)


def in_chunks(w, x: jax.Array, size=16):
    out = []
    for start in range(0, x.shape[0], size):
        out.append(predict(w, x[start : start + size]))
    return jnp.concatenate(out)


def chunk_means(x: jax.Array, size=4):
    return jnp.stack([x[i * size : (i + 1) * size].mean() for i in range(x.shape[0] // size)])


# call: in_chunks(jnp.ones((3, 2)), jnp.ones((40, 3)))
# call: in_chunks(jnp.ones((3, 2)), jnp.ones((32, 3)), 16)
# call: chunk_means(jnp.arange(18.0))
# call: chunk_means(jnp.arange(8), 4)
