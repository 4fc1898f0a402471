"""One arm is complex, so that where both are brought to one type the other gets complex too."""

import jax
import jax.numpy as jnp


@jax.jit
def root(d):
    if d < 0:
        return 1j * jnp.sqrt(-d)
    return jnp.sqrt(d)


@jax.jit
def root_complex(d):
    if d < 0:
        r = 1j * jnp.sqrt(-d)
    else:
        r = jnp.sqrt(d) + 0j
    return r


@jax.jit
def spun(z):
    for k in range(8):
        z = z * (1j if k % 2 else -1) + k
    return z


# call: root(jnp.float32(-4.0))
# call: root(jnp.float32(4.0))
# call: root_complex(d=jnp.float32(-4.0))
# call: root_complex(d=jnp.float32(jnp.nan))
# call: root_complex(d=jnp.int32(9))
# call: spun(jnp.complex64(1 - 2j))
# call: spun(z=jnp.array([1.0, -2.0]))
# call: spun(z=jnp.int32(1))
