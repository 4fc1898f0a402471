"""A loop whose index or bound is changed in the body."""
import jax
import jax.numpy as jnp


@jax.jit
def rebound(x):
    for i in range(5):
        i = i * 2 + 1
        x = x * 0.5 + i
    return x, i


@jax.jit
def shrinking(x):
    n = 6
    for k in range(n):
        n = n - 2
        x = x + n
    return x, n


def countdown(x, n):
    k = n
    while k > 0:
        x = x * 0.5 + k
        k -= 3
    return x, k


def doubling(x):
    k = 1
    while k < x.shape[0]:
        x = x + jnp.roll(x, k)
        k *= 2
    return x


# call: rebound(jnp.ones(2))
# call: shrinking(jnp.array([1, 2]))
# call: countdown(jnp.ones(2), 7)
# call: countdown(jnp.ones(2), -1)
# call: doubling(jnp.arange(5.0))
