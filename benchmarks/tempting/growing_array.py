"""Arrays grown by concatenation, and histories of their lengths."""
import jax
import jax.numpy as jnp


@jax.jit
def doubled(x):
    for _ in range(3):
        x = jnp.concatenate([x, x * 2])
    return x


@jax.jit
def path(x):
    out = x[None]
    for _ in range(4):
        x = jnp.sin(x) + 0.1
        out = jnp.concatenate([out, x[None]])
    return out


@jax.jit
def pascal(x):
    row = x
    for _ in range(4):
        row = jnp.pad(row, (0, 1)) + jnp.pad(row, (1, 0))
    return row


# call: doubled(jnp.array([1.0, 2.0]))
# call: path(jnp.array([1.0, 2.0]))
# call: path(jnp.array([1, 2]))
# call: pascal(jnp.ones(1))
