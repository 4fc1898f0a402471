"""Frames whose slice overlaps the end of the signal."""
import jax
import jax.numpy as jnp


@jax.jit
def smoothed(x):
    out = []
    for i in range(x.shape[0]):
        out.append(x[i:i + 3].mean())
    return jnp.stack(out)


@jax.jit
def centred(x):
    out = jnp.zeros_like(x)
    for i in range(x.shape[0]):
        out = out.at[i].set(x[i - 1:i + 2].sum())
    return out


@jax.jit
def hops(x):
    e = 0.0
    for k in range(4):
        frame = x[k * 4:k * 4 + 6]
        e = e + (frame**2).sum() * (k + 1)
    return e


# call: smoothed(jnp.arange(6.0))
# call: centred(jnp.arange(6.0))
# call: hops(jnp.arange(18.0))
# call: hops(jnp.arange(13.0))
