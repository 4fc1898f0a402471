"""An exception that the caller relies on, raised or not raised by the rewritten code."""
import jax
import jax.numpy as jnp


@jax.jit
def paired(xs, ys):
    out = []
    for i in range(len(xs)):
        out.append(xs[i] * ys[i])
    return jnp.stack(out)


def safe_pairs(xs, ys):
    try:
        return paired(xs, ys)
    except (IndexError, ValueError, TypeError):
        return jnp.zeros(1)


@jax.jit
def lookup(table, i):
    if i < 0:
        raise ValueError("negative")
    return table[i]


def total_of(xs, n: int):
    t = 0.0
    for i in range(n):
        t = t + jnp.sin(xs[i])
    return t


# call: safe_pairs(jnp.arange(4.0), jnp.arange(4.0))
# call: safe_pairs(jnp.arange(4.0), jnp.arange(6.0))
# call: safe_pairs(jnp.zeros((0,)), jnp.zeros((0,)))
# call: total_of(jnp.arange(4.0), 4)
# call: total_of(jnp.arange(4.0), 0)
