"""The exponential series with a factorial in Python ints."""
import jax
import jax.numpy as jnp


@jax.jit
def exp_series(x):
    total = jnp.zeros_like(x)
    fact = 1
    for k in range(25):
        if k > 0:
            fact = fact * k
        total = total + x**k / float(fact)
    return total


@jax.jit
def sin_series(x):
    term, total = x, x
    for k in range(1, 12):
        term = -term * x * x / ((2 * k) * (2 * k + 1))
        total = total + term
    return total


# call: exp_series(jnp.linspace(-6.0, 6.0, 7))
# call: exp_series(jnp.array([0.0, -0.0, jnp.inf]))
# call: sin_series(jnp.linspace(-3.0, 3.0, 5))
# call: sin_series(jnp.array([0.0, 1e20, jnp.nan]))
