"""The residual tested in the head of the loop is used after it, also where the body never ran."""

import jax
import jax.numpy as jnp


@jax.jit
def shrink(x, most):
    n = 0
    while (r := jnp.max(jnp.abs(x))) > most and n < 30:
        x = x * 0.5
        n += 1
    return x, r, n


@jax.jit
def strip_factors(n, p):
    k = 0
    while (rest := n % p) == 0 and k < 40:
        n = n // p
        k += 1
    return n, rest, k


# call: shrink(x=jnp.array([40.0, -3.0]), most=1.0)
# call: shrink(x=jnp.array([0.5, -0.25]), most=1)
# call: shrink(x=jnp.array([40, -3]), most=1.0)
# call: shrink(x=jnp.array([jnp.nan, 100.0]), most=1.0)
# call: shrink(x=jnp.array([jnp.inf, 100.0]), most=1.0)
# call: strip_factors(jnp.int32(360), 2)
# call: strip_factors(jnp.int8(-128), jnp.int8(2))
# call: strip_factors(0, 3)
