"""Swaps inside an array, bubble sort and double buffers."""
import jax
import jax.numpy as jnp


@jax.jit
def bubble(x):
    n = x.shape[0]
    for i in range(n - 1):
        a, b = x[i], x[i + 1]
        x = x.at[i].set(jnp.where(a > b, b, a))
        x = x.at[i + 1].set(jnp.where(a > b, a, b))
    return x


@jax.jit
def ping_pong(a, b):
    for _ in range(5):
        a, b = b, a + 0.5 * b
    return a, b


@jax.jit
def reversed_in_place(x):
    n = x.shape[0]
    for i in range(n // 2):
        left, right = x[i], x[-1 - i]
        x = x.at[i].set(right)
        x = x.at[-1 - i].set(left)
    return x


# call: bubble(jnp.array([3.0, jnp.nan, 1.0, 2.0]))
# call: ping_pong(jnp.float32(1.0), 2)
# call: ping_pong(1, 2)
# call: reversed_in_place(jnp.arange(7))
