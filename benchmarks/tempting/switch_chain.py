"""Chains of comparisons with one index, that look like a switch."""
import jax
import jax.numpy as jnp


@jax.jit
def op(code, x):
    if code == 0:
        y = x + 1
    elif code == 1:
        y = x * 2
    elif code == 2:
        y = -x
    else:
        y = x
    return y


@jax.jit
def action(k, pos):
    if k == 0:
        pos = pos.at[0].add(1)
    elif k == 1:
        pos = pos.at[0].add(-1)
    elif k == 3:
        pos = pos.at[1].add(1)
    return pos


@jax.jit
def window(kind, x):
    if kind == 1:
        return jnp.ones_like(x)
    if kind == 0:
        return x * 0.5
    return jnp.hanning(3) * x


# call: op(jnp.int32(-1), jnp.float32(2.0))
# call: op(jnp.int32(7), jnp.int32(2))
# call: op(jnp.float32(1.5), jnp.float32(2.0))
# call: op(jnp.uint8(2), jnp.uint8(3))
# call: op(jnp.bool_(True), jnp.bool_(True))
# call: action(jnp.int32(2), jnp.zeros(2))
# call: action(jnp.int32(-1), jnp.array([1, 2]))
# call: window(jnp.int32(-3), jnp.arange(3))
# call: window(jnp.int32(1), jnp.arange(3))
