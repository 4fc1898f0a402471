"""An index kept from the loop, then used with small types."""
import jax
import jax.numpy as jnp


@jax.jit
def marked(codes):
    best, at = codes[0], 0
    for i, v in enumerate(codes):
        better = v > best
        best = jnp.where(better, v, best)
        at = jnp.where(better, i, at)
    return best + at


@jax.jit
def stamped(codes):
    last = 0
    for i in range(codes.shape[0]):
        last = jnp.where(codes[i] > 2, i, last)
    return codes * last


@jax.jit
def counted(codes):
    n = 0
    for v in codes:
        n = n + (v > 2)
    return codes + n


@jax.jit
def positions(codes):
    out = []
    for i in range(codes.shape[0]):
        out.append(jnp.where(codes[i] > 2, i, -1))
    return codes * jnp.stack(out)


# call: marked(jnp.array([250, 3, 255], dtype=jnp.uint8))
# call: stamped(jnp.array([250, 3, 255], dtype=jnp.uint8))
# call: counted(jnp.array([250, 3, 255], dtype=jnp.uint8))
# call: counted(jnp.array([100, 127, -3], dtype=jnp.int8))
# call: positions(jnp.array([100, 127, -3], dtype=jnp.int8))
