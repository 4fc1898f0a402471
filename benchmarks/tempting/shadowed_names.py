"""Names that shadow builtins, modules or each other."""
import jax
import jax.numpy as jnp


def range_like(n):
    return [n - 1 - i for i in range(n)]


@jax.jit
def backwards(x):
    range = range_like
    s = 0.0
    for i in range(x.shape[0]):
        s = s * 0.5 + x[i]
    return s


@jax.jit
def reused(x):
    i = 10
    for i in range(3):
        for i in range(2):
            x = x * 0.5 + i
        x = x + i
    return x * i


@jax.jit
def carry(carry, lax):
    for _ in range(4):
        carry = carry * 0.5 + lax
    return carry


# call: backwards(jnp.arange(4.0))
# call: reused(jnp.ones(2))
# call: carry(jnp.ones(2), 3)
# call: carry(1, 2)
