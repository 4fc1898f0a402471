"""Compiled functions that are called with lists of numbers or of arrays."""
import jax
import jax.numpy as jnp


@jax.jit
def returns(rewards, gamma):
    g = 0.0
    out = []
    for r in reversed(rewards):
        g = r + gamma * g
        out.append(g)
    return jnp.stack(out[::-1])


@jax.jit
def dot(a, b):
    s = 0.0
    for p, q in zip(a, b):
        s = s + jnp.sum(p * q)
    return s


def total(rows):
    s = 0
    for r in rows:
        s = s + r.sum()
    return s


def spreads(rows):
    out = []
    for row in rows:
        w = row / row.sum()
        out.append(jnp.cumsum(w)[-1] - w.max())
    return jnp.array(out)


# call: returns([1.0, 2.0, 3.0], 0.5)
# call: returns((jnp.float32(1.0), 2), 0.5)
# call: dot([1.0, 2.0], [3.0, 4.0])
# call: dot((jnp.ones(2), jnp.ones(3)), (jnp.ones(2), jnp.ones(3)))
# call: total([jnp.ones(2), jnp.ones(3)])
# call: spreads([jnp.ones(2), jnp.arange(3.0)])
