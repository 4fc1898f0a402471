"""Helpers with their own derivative, or a stopped one, in loops and branches."""
import jax
import jax.numpy as jnp


@jax.custom_jvp
def safe_log(x):
    return jnp.log(jnp.maximum(x, 1e-6))


@safe_log.defjvp
def _(primals, tangents):
    return safe_log(primals[0]), tangents[0] / (primals[0] + 1.0)


@jax.jit
def repeated(x):
    for k in range(4):
        x = safe_log(x + k) + 1
    return x


@jax.jit
def stopped(x):
    target = x
    for _ in range(5):
        target = jax.lax.stop_gradient(0.9 * target + 0.1 * x)
    return jnp.sum((x - target) ** 2)


@jax.jit
def unrolled_newton(a):
    x = a
    for _ in range(6):
        x = x - (x * x - a) / (2 * x + 1e-6)
    return x


# call: repeated(jnp.array([1.0, -2.0, 0.0]))
# call: stopped(jnp.array([1.0, -2.0]))
# call: unrolled_newton(jnp.array([4.0, 0.0, 9.0]))
