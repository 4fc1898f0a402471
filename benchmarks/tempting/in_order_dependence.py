"""Prefix sums that look like elementwise work."""
import jax
import jax.numpy as jnp


@jax.jit
def prefix(x):
    for i in range(1, x.shape[0]):
        x = x.at[i].add(x[i - 1])
    return x


@jax.jit
def forward_difference(x):
    out = x
    for i in range(x.shape[0] - 1):
        out = out.at[i].set(x[i + 1] - x[i])
    return out


@jax.jit
def in_place_difference(x):
    for i in range(x.shape[0]):
        x = x.at[i].set(x[(i + 1) % x.shape[0]] - x[i])
    return x


# call: prefix(jnp.arange(5.0))
# call: prefix(jnp.array([100, 100, 100], dtype=jnp.uint8))
# call: forward_difference(jnp.array([1.0, 4.0, 9.0]))
# call: in_place_difference(jnp.array([1.0, 4.0, 9.0]))
# call: in_place_difference(jnp.array([3.0]))
