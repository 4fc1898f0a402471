"""The index added to small whole numbers, whose type must not widen."""
import jax
import jax.numpy as jnp


@jax.jit
def tagged(codes):
    rows = []
    for i in range(codes.shape[0]):
        rows.append(codes[i] + i)
    return jnp.stack(rows)


@jax.jit
def checksum(codes):
    c = codes[0]
    for i in range(codes.shape[0]):
        c = c ^ (codes[i] * (i + 3))
    return c


@jax.jit
def shifted(codes):
    rows = []
    for i in range(codes.shape[0]):
        rows.append(codes[i] << i)
    return jnp.array(rows)


# call: tagged(jnp.array([250, 251, 252, 253, 254, 255, 1], dtype=jnp.uint8))
# call: checksum(jnp.array([100, 127, -128, 5], dtype=jnp.int8))
# call: shifted(jnp.array([1, 3, 200], dtype=jnp.uint8))
# call: tagged(jnp.arange(3, dtype=jnp.int16))
