"""`not`, `~` and `-` of a Python bool are not those of a bool array."""

import jax
import jax.numpy as jnp


@jax.jit
def alternating(x):
    up = True
    for _ in range(9):
        x = jnp.where(up, x + 3, x * 2)
        up = not up
    return x, up


@jax.jit
def sign_flips(x):
    s = True
    for _ in range(9):
        x = x + s
        s = -s
    return x, s


@jax.jit
def parity(xs):
    odd = False
    for x in xs:
        odd = odd ^ (x > 0)
    return odd


# call: alternating(jnp.array([1.0, -1.0]))
# call: alternating(jnp.int8(5))
# call: sign_flips(jnp.array([1.0, -1.0]))
# call: sign_flips(jnp.array([True, False]))
# call: sign_flips(jnp.int8(127))
# call: parity(jnp.array([1, -1, 5, 0, 7, 7, 1, 2, 2]))
# call: parity(jnp.zeros((0,)))
# call: parity([1, 0.5])
