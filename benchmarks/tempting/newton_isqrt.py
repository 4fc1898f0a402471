"""Newton's method: whole numbers on the host, floats with a tolerance."""
import jax.numpy as jnp


def isqrt(n):
    x = n
    y = (x + 1) // 2
    while y < x:
        x = y
        y = (x + n // x) // 2
    return x


def sqrt_newton(a, tol=1e-6):
    x = a
    n = 0
    while abs(x * x - a) > tol * a:
        x = 0.5 * (x + a / x)
        n += 1
    return x, n


# call: isqrt(10**15)
# call: isqrt(1)
# call: sqrt_newton(jnp.float32(2.0), 1e-3)
# call: sqrt_newton(2.0)
# call: sqrt_newton(jnp.float32(jnp.nan))
