"""zip over sequences of different lengths."""
import jax
import jax.numpy as jnp


@jax.jit
def dot_short(a, b):
    s = 0.0
    for p, q in zip(a, b):
        s = s * 0.9 + p * q
    return s


def per_pair(xs, ys):
    return jnp.stack([jnp.tanh(x) @ y for x, y in zip(xs, ys)])


@jax.jit
def tri(a, b, c):
    out = []
    for x, y, z in zip(a, b[1:], c[:-1]):
        out.append(x * y - z)
    return jnp.stack(out)


# call: dot_short(jnp.arange(5.0), jnp.arange(3.0))
# call: per_pair(jnp.ones((3, 2)), jnp.arange(8.0).reshape(4, 2))
# call: per_pair(jnp.ones((3, 2)), jnp.ones((1, 2)))
# call: tri(jnp.arange(4.0), jnp.arange(4.0), jnp.arange(4.0))
# call: tri(jnp.arange(2), jnp.arange(5), jnp.arange(4.0))
