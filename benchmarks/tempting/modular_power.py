"""Modular powers, Fibonacci numbers and digit sums on Python ints."""
import jax.numpy as jnp


def modpow(base, exponent, modulus):
    result = 1
    base = base % modulus
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base % modulus
        base = base * base % modulus
        exponent = exponent // 2
    return result


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def golden(x, n):
    a, b = 1, 1
    for _ in range(n):
        a, b = b, a + b
        x = x + 1.0 / b
    return x


# call: modpow(123456789, 65537, 998244353)
# call: fibonacci(60)
# call: fibonacci(0)
# call: golden(jnp.zeros(2), 60)
