"""Loop variables and names of the body read after the loop."""
import jax
import jax.numpy as jnp


@jax.jit
def last_step(x):
    for i in range(7):
        half = x * 0.5
        x = half + i
    return x, i, half


@jax.jit
def trapezoid(f):
    s = 0.0
    for i in range(1, f.shape[0] - 1):
        s = s + f[i]
    return s + 0.5 * (f[0] + f[i + 1])


def zero_trip(x, n):
    k = 100
    y = x
    for k in range(n):
        y = y * 0.5 + k
    return y, k


# call: last_step(jnp.array([1.0, 2.0]))
# call: trapezoid(jnp.arange(5.0))
# call: zero_trip(jnp.ones(2), 0)
# call: zero_trip(jnp.ones(2), 3)
