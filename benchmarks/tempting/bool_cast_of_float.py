"""bool() of a float is True for NaN and for tiny numbers."""

import jax
import jax.numpy as jnp


@jax.jit
def pick(flag, x):
    active = bool(flag)
    if active:
        return x + 1
    return x - 1


@jax.jit
def pick_int(count, x):
    return x * 2 if bool(count) and not bool(x > 3) else x


# call: pick(jnp.float32(jnp.nan), jnp.float32(0.0))
# call: pick(jnp.float32(0.2), jnp.float32(0.0))
# call: pick_int(jnp.int32(-1), jnp.float32(2.0))
# call: pick_int(jnp.int32(256), jnp.int8(2))
