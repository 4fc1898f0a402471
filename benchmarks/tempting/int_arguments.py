"""Updates that turn whole-number arguments into floats on the first trip."""
import jax
import jax.numpy as jnp


@jax.jit
def newton(x):
    for _ in range(6):
        x = x - (x * x - 2) / (2 * x)
    return x


@jax.jit
def heat(u):
    for _ in range(8):
        u = u + 0.1 * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1))
    return u


@jax.jit
def cooled(x, rate):
    hot = x > 1
    for k in range(5):
        x = jnp.where(hot, x * rate, x)
        hot = x > rate
    return x, hot


# call: newton(jnp.array([3, 5]))
# call: newton(3)
# call: heat(jnp.array([1, 0, 0, 4]))
# call: heat(jnp.array([True, False, False]))
# call: cooled(jnp.array([1, 5, 9]), 0.5)
# call: cooled(jnp.array([1, 5, 9]), 2)
