"""Powers with the index in the exponent or in the base."""
import jax
import jax.numpy as jnp


@jax.jit
def horner_like(coef, x):
    y = 0.0
    for k in range(coef.shape[0]):
        y = y + coef[k] * x**k
    return y


@jax.jit
def geometric(x):
    out = x * 0
    for k in range(40):
        out = out + x * 0.5**k + x / 3.0**k
    return out


@jax.jit
def alternating(x):
    s = 0.0
    for k in range(x.shape[0]):
        s = s + (-1) ** k * x[k]
    return s


# call: horner_like(jnp.array([1.0, -2.0, 0.5, 3.0]), jnp.array([0.0, -1.5, 2.0]))
# call: horner_like(jnp.array([1, 2, 3]), jnp.array(-2))
# call: geometric(jnp.array([1.0, -3.0]))
# call: alternating(jnp.arange(5.0))
