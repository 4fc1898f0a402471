"""Numbers of Python listed per trip: whole, true or false, beyond 24 bits, of mixed types."""
import math

import jax
import jax.numpy as jnp

GAINS = (1, 0.5, 2, True)


@jax.jit
def factorial_weights(x):
    for k in range(12):
        x = x + jnp.sin(x) * (math.factorial(k) % 97)
    return x


@jax.jit
def odd_steps(x):
    for k in range(8):
        x = x * 2 + (math.gcd(k, 6) == 1)
    return x


@jax.jit
def table(x):
    for g in GAINS:
        x = x * g + 1
    return x


@jax.jit
def big(x):
    for k in range(6):
        x = x + math.isqrt(10 ** (2 * k + 6))
    return x


# call: factorial_weights(jnp.array([0.5, 1.0]))
# call: odd_steps(jnp.array([100, 3], dtype=jnp.uint8))
# call: odd_steps(jnp.array([True, False]))
# call: table(jnp.array([2, 3]))
# call: table(jnp.array([2.0, 3.0]))
# call: big(jnp.array([1, 2]))
# call: big(jnp.array([0.5, 2.0]))
