"""Insertion at the front, extension by pairs, two lists at once."""
import jax
import jax.numpy as jnp


@jax.jit
def stack_front(x):
    out = []
    c = x[0] * 0
    for i in range(x.shape[0]):
        c = c + x[i]
        out.insert(0, c)
    return jnp.stack(out)


@jax.jit
def pairs(x):
    out = []
    for i in range(x.shape[0]):
        out.extend([x[i], -x[i]])
    return jnp.array(out)


@jax.jit
def split(x):
    lo, hi = [], []
    for i in range(x.shape[0]):
        lo.append(jnp.minimum(x[i], 0))
        hi.append(jnp.maximum(x[i], 0) + i)
    return jnp.stack(hi), jnp.stack(lo)


# call: stack_front(jnp.arange(4.0))
# call: pairs(jnp.array([1, -2]))
# call: pairs(jnp.zeros(0))
# call: split(jnp.array([200, 3], dtype=jnp.uint8))
