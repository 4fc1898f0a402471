"""The test reads the old pair, one of which overflows."""

import jax
import jax.numpy as jnp


@jax.jit
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


@jax.jit
def agm(a, g):
    while abs(a - g) > 1e-1:
        a, g = (a + g) / 2, jnp.sqrt(a * g)
    return a


# call: gcd(jnp.int32(48), jnp.int32(36))
# call: gcd(jnp.int32(-48), jnp.int32(36))
# call: gcd(jnp.int32(7), jnp.int32(0))
# call: gcd(jnp.uint8(240), jnp.uint8(36))
# call: agm(jnp.float32(1.0), jnp.float32(2.0))
# call: agm(1.0, jnp.float32(jnp.nan))
# call: agm(jnp.int32(24), jnp.int32(6))
