"""Appending only where a condition holds."""
import jax
import jax.numpy as jnp


def peaks(x):
    found = []
    for i in range(1, x.shape[0] - 1):
        if x[i] > x[i - 1] and x[i] >= x[i + 1]:
            found.append(i)
    return found


@jax.jit
def every_other(x):
    out = []
    for i in range(x.shape[0]):
        if i % 2 == 0:
            out.append(x[i] * 2)
        else:
            out.append(x[i])
    return jnp.stack(out)


# call: peaks(jnp.array([0.0, 1.0, 1.0, 0.0, 2.0, jnp.nan, 1.0]))
# call: peaks(jnp.array([1.0]))
# call: every_other(jnp.arange(5.0))
# call: every_other(jnp.array([7]))
