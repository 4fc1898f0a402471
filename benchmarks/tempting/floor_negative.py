"""Floor division and remainder of negative whole numbers."""
import jax
import jax.numpy as jnp


@jax.jit
def folded(x, shift):
    acc = jnp.int32(0)
    n = x.shape[0]
    for i in range(n):
        j = (i - shift) % n
        acc = acc + x[j] * ((i - 5) // 2) - (x[i] % -3)
    return acc


@jax.jit
def haar_levels(x):
    out = x
    for level in range(-3, 3):
        out = out + level // 2 + (level % -4) * 0.5 + (-7) // (level * 2 + 1)
    return out


# call: folded(jnp.array([-5, 4, -3, 2, 2147483647]), 3)
# call: folded(jnp.array([1, 2]), -9)
# call: folded(jnp.array([-7]), 0)
# call: haar_levels(jnp.linspace(-1.0, 1.0, 4))
