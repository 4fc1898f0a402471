"""A checksum of unsigned words: shifted bits fall off at the width of the word, a wider word keeps them."""

import jax
import jax.numpy as jnp


@jax.jit
def crc8(data):
    crc = jnp.uint8(0)
    for byte in data:
        crc = crc ^ byte
        for _ in range(8):
            if crc & 0x80:
                crc = (crc << 1) ^ 0x07
            else:
                crc = crc << 1
    return crc


@jax.jit
def xorshift(state):
    for _ in range(20):
        state = state ^ (state << 13)
        state = state ^ (state >> 17)
        state = state ^ (state << 5)
    return state


# call: crc8(jnp.array([0x31, 0x32, 0xFF, 0], dtype=jnp.uint8))
# call: crc8(jnp.zeros((0,), jnp.uint8))
# call: crc8(jnp.array([0x31, 0x132], dtype=jnp.int32))
# call: xorshift(jnp.uint32(2463534242))
# call: xorshift(jnp.int32(-5))
# call: xorshift(jnp.array([1, 200], dtype=jnp.uint8))
