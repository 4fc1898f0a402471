"""A linear congruential generator in Python ints feeding array arithmetic."""
import jax
import jax.numpy as jnp


@jax.jit
def jitter(x):
    s = 12345
    out = x
    for _ in range(x.shape[0]):
        s = (1103515245 * s + 12345) % 2147483648
        out = out + 0.01 * (s / 2147483648)
    return out


@jax.jit
def shuffled(x):
    s = 99
    n = x.shape[0]
    for i in range(n - 1):
        s = (s * 48271) % 2147483647
        j = i + s % (n - i)
        a, b = x[i], x[j]
        x = x.at[i].set(b).at[j].set(a)
    return x


# call: jitter(jnp.linspace(0.0, 1.0, 6))
# call: shuffled(jnp.arange(8))
# call: shuffled(jnp.arange(1.0))
