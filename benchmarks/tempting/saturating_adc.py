"""A converter with thresholds beyond what half precision holds."""
import jax
import jax.numpy as jnp


@jax.jit
def adc(x):
    code = 0
    rest = x
    for bit in range(4):
        big = rest > 60000.0 / 2**bit
        rest = jnp.where(big, rest - 60000.0 / 2**bit, rest)
        code = code * 2 + big
    return code, rest


@jax.jit
def overflow_sum(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i] * 70000.0 / 70000.0
    return total


# call: adc(jnp.array([1.0, 61000.0, 100000.0]))
# call: adc(jnp.array([jnp.nan, jnp.inf, -1.0]))
# call: overflow_sum(jnp.array([1.0, 2.0, 3.0]))
# call: overflow_sum(jnp.array([1, 2, 3]))
