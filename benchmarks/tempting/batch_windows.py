"""Windows over rows, with steps, for examples on the host."""
import jax.numpy as jnp


def frames(x, size, hop):
    out = []
    for start in range(0, len(x) - size + 1, hop):
        out.append(x[start:start + size] * jnp.hanning(size))
    return jnp.stack(out)


def per_row(rows):
    out = []
    for row in rows:
        w = row / row.sum()
        out.append(jnp.cumsum(w)[-1] - w.max())
    return jnp.array(out)


def chunk_means(x, size):
    out = []
    for i in range(0, len(x), size):
        out.append(x[i:i + size].mean())
    return jnp.stack(out)


# call: frames(jnp.arange(10.0), 4, 3)
# call: frames(jnp.arange(4.0), 4, 1)
# call: per_row(jnp.array([[1.0, 2.0], [0.0, 0.0]]))
# call: chunk_means(jnp.arange(7.0), 3)
