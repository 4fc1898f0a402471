"""Compiled while loops with counters, whole numbers and NaN."""
import jax
import jax.numpy as jnp


@jax.jit
def halve(x):
    n = 0
    while x > 1:
        x = x / 2
        n = n + 1
    return x, n


@jax.jit
def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@jax.jit
def digits(n):
    s = 0
    while n > 0:
        s = s + n % 10
        n = n // 10
    return s


@jax.jit
def settle(v):
    k = 0
    while jnp.abs(v).max() > 0.5 and k < 20:
        v = v * 0.7
        k += 1
    return v, k


# call: halve(jnp.float32(20.0))
# call: halve(jnp.int32(20))
# call: halve(jnp.float32(jnp.nan))
# call: gcd(jnp.int32(-12), jnp.int32(18))
# call: gcd(jnp.uint8(200), 12)
# call: gcd(12, 18)
# call: digits(jnp.int32(98765))
# call: digits(jnp.int8(-5))
# call: settle(jnp.array([3.0, -4.0]))
# call: settle(jnp.array([3, -4]))
