"""A rolling hash kept in Python ints beyond 32 bits."""
import jax
import jax.numpy as jnp


def rolling(codes, base):
    h = 7
    for c in codes:
        h = (h * base + c) % 2305843009213693951
    return h


@jax.jit
def bucketed(x):
    h = 17
    out = x
    for i in range(12):
        h = (h * 31 + i) % 1000000007
        out = out.at[h % 5].add(h % 11)
    return out


# call: bucketed(jnp.zeros(5))
# call: bucketed(jnp.linspace(-1.0, 1.0, 5))
# call: rolling([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14], 257)
# call: rolling([], 31)
