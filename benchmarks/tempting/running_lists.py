"""Running sums, maxima and products collected in lists."""
import jax
import jax.numpy as jnp


@jax.jit
def running_sum(x):
    out = []
    s = 0
    for v in x:
        s = s + v
        out.append(s)
    return jnp.stack(out)


@jax.jit
def running_max(x):
    out = []
    m = x[0]
    for v in x[1:]:
        m = jnp.where(v > m, v, m)
        out.append(m)
    return jnp.array(out)


@jax.jit
def before_and_after(x):
    out = [x[0]]
    p = 1.0
    for v in x:
        out.append(p)
        p = p * v
        out.append(p)
    return jnp.array(out)


@jax.jit
def counts(x):
    out = []
    n = 0
    for v in x:
        n = n + (v > 0)
        out.append(n)
    return jnp.stack(out)


# call: running_sum(jnp.array([200, 100], dtype=jnp.uint8))
# call: running_sum(jnp.array([True, True]))
# call: running_max(jnp.array([1.0, jnp.nan, 3.0]))
# call: before_and_after(jnp.array([2, 3]))
# call: before_and_after(jnp.array([2.0, 3.0]))
# call: counts(jnp.array([1.0, -1.0, jnp.nan]))
# call: counts(jnp.array([200, 0], dtype=jnp.uint8))
