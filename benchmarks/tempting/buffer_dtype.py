"""Writes into a buffer whose type is narrower than what is written."""
import jax
import jax.numpy as jnp


@jax.jit
def truncated(x):
    out = jnp.zeros(x.shape[0], dtype=jnp.int32)
    for i in range(x.shape[0]):
        out = out.at[i].set((x[i] * 2.7).astype(jnp.int32))
    return out


@jax.jit
def integer_state(x):
    s = jnp.zeros(3, dtype=jnp.int32)
    for i in range(x.shape[0]):
        s = s.at[i % 3].add(x[i].astype(jnp.int32))
    return s


@jax.jit
def half_log(x):
    log = jnp.zeros(6, dtype=jnp.float16)
    for i in range(6):
        x = x * 10
        log = log.at[i].set(x.sum().astype(jnp.float16))
    return log


# call: truncated(jnp.array([1.5, -1.5, 1e20, jnp.nan]))
# call: integer_state(jnp.array([1.9, -1.9, 2.5, 3.0, -7.7]))
# call: half_log(jnp.array([1.0, 2.0]))
