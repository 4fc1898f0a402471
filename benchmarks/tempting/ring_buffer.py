"""A ring buffer and a delay line in an array."""
import jax
import jax.numpy as jnp


@jax.jit
def delayed(x):
    buf = jnp.zeros(4)
    pos = 0
    out = []
    for i in range(x.shape[0]):
        out.append(buf[pos])
        buf = buf.at[pos].set(x[i] + 0.5 * buf[pos])
        pos = (pos + 1) % 4
    return jnp.stack(out)


@jax.jit
def shifted(x):
    line = jnp.zeros(3, dtype=x.dtype)
    ys = []
    for v in x:
        line = jnp.concatenate([line[1:], v[None]])
        ys.append(line.sum())
    return jnp.stack(ys), line


# call: delayed(jnp.arange(9.0))
# call: delayed(jnp.arange(9))
# call: shifted(jnp.array([100, 100, 100, 100], dtype=jnp.int8))
# call: shifted(jnp.array([1.0, jnp.nan, 2.0, 3.0, 4.0]))
