"""Negative and out of range indices in reads and writes."""
import jax
import jax.numpy as jnp


@jax.jit
def circular(x):
    out = x * 0
    for i in range(x.shape[0]):
        out = out.at[i - 2].add(x[-i])
    return out


@jax.jit
def scatter(x, at):
    out = jnp.zeros(4)
    for i in range(at.shape[0]):
        out = out.at[at[i]].set(x[i])
    return out


@jax.jit
def looked_up(table, at):
    s = 0.0
    for i in range(at.shape[0]):
        s = s * 0.5 + table[at[i]]
    return s


# call: circular(jnp.arange(5.0))
# call: scatter(jnp.array([1.0, 2.0, 3.0, 4.0]), jnp.array([-1, 0, 9, -9]))
# call: looked_up(jnp.arange(3.0), jnp.array([-1, 7, -8, 2]))
# call: looked_up(jnp.arange(3.0), jnp.zeros(0, dtype=jnp.int32))
