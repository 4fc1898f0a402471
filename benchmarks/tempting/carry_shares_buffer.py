"""Two names for one array, one of which moves on."""
import jax
import jax.numpy as jnp


@jax.jit
def leapfrog(x, v):
    prev = x
    for _ in range(6):
        old = x
        x = 2 * x - prev - 0.01 * x
        prev = old
        v = x - prev
    return x, v


@jax.jit
def momentum(p):
    vel = best = p
    for k in range(5):
        vel = 0.9 * vel - 0.1 * p
        p = p + vel
        best = jnp.minimum(best, p)
    return p, vel, best


@jax.jit
def lagged(x):
    a = b = c = 0
    for v in x:
        a, b, c = v, a, b
    return a, b, c


# call: leapfrog(jnp.array([1.0, 2.0]), 0)
# call: momentum(jnp.array([1.0, jnp.nan]))
# call: lagged(jnp.arange(5.0))
# call: lagged(jnp.array([7.0]))
# call: lagged(jnp.array([True, False, True, True]))
