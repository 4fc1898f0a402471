"""enumerate with a start, and the last pair read after the loop."""
import jax
import jax.numpy as jnp


@jax.jit
def ranked(x):
    s = 0.0
    for i, v in enumerate(x, 1):
        s = s + v / i
    return s, v, i


@jax.jit
def argbest(x):
    best, at = x[0], 0
    for i, v in enumerate(x):
        better = v > best
        best = jnp.where(better, v, best)
        at = jnp.where(better, i, at)
    return best, at


@jax.jit
def offset(x):
    out = []
    for i, v in enumerate(x, start=-2):
        out.append(v * i)
    return jnp.array(out)


# call: ranked(jnp.arange(4.0))
# call: argbest(jnp.array([1.0, 3.0, 3.0, jnp.nan, 9.0]))
# call: argbest(jnp.array([jnp.nan, 1.0]))
# call: offset(jnp.array([100, 100, 100, 100], dtype=jnp.int8))
