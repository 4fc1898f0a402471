"""Remainders and quotients of negative numbers go down, and those of a counter are Python's."""

import jax
import jax.numpy as jnp


@jax.jit
def digits(n, base=7):
    out = []
    for k in range(6):
        n, r = divmod(n, -base if k % 2 else base)
        out.append(r)
    return jnp.array(out), n


@jax.jit
def centred(x):
    for i in range(16):
        x = x + (i - 9) // 4 - (i - 9) % 4 * 2
    return x


@jax.jit
def wrapped(x):
    for i in range(1, 9):
        x = (x - 5) % -i if i > 4 else (x + 3) // i
    return x


# call: digits(jnp.int32(-12345))
# call: digits(jnp.int8(-128))
# call: digits(-12345, 3)
# call: centred(jnp.array([1, -2], dtype=jnp.int8))
# call: centred(jnp.array([0.5, jnp.nan]))
# call: wrapped(jnp.array([-100, 99, 0]))
# call: wrapped(jnp.array([-100, 99, 0], dtype=jnp.int8))
# call: wrapped(jnp.array([200, 99], dtype=jnp.int16))
