"""A small function counts its calls: traced once inside a compiled loop it would count one."""

import jax
import jax.numpy as jnp


def counted(x: jax.Array):
    calls = 0

    def step(v):
        nonlocal calls
        calls += 1
        return v * 0.5 + calls

    for _ in range(12):
        x = step(x)
    return x, calls


def uncounted(x: jax.Array):
    factor = 0.5

    def step(v):
        return v * factor + 1

    for _ in range(12):
        x = step(x)
    return x, factor


# call: counted(jnp.array([1.0, -8.0]))
# call: counted(jnp.int32(5))
# call: uncounted(jnp.array([1.0, -8.0]))
# call: uncounted(jnp.int8(5))
# call: uncounted(jnp.array([True, False]))
