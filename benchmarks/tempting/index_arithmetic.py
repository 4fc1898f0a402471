"""The index in double precision, as a shift, an exponent and a divisor."""
import jax
import jax.numpy as jnp


@jax.jit
def beat(x):
    for i in range(20):
        x = x + jnp.sin(i * 1e7 + 0.1 * i)
    return x


@jax.jit
def squares(x):
    for i in range(10):
        x = x + (i * 100000) ** 2 % 1000
    return x


@jax.jit
def fraction(x):
    for i in range(1, 9):
        x = x * 0.5 + (i / 3) // (1 / 3)
    return x


@jax.jit
def roots(x):
    y = x * 0
    for k in range(5):
        y = y + x ** (k / 2) + k**0.5
    return y


# call: beat(jnp.zeros(2))
# call: squares(jnp.array([1.0, 2.0]))
# call: squares(jnp.array([1, 2]))
# call: fraction(jnp.zeros(1))
# call: roots(jnp.array([0.0, 4.0]))
# call: roots(jnp.array([-1.0, jnp.inf]))
