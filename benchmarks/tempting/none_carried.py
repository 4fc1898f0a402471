"""None as the first value of a carry, or as an optional argument."""
import jax
import jax.numpy as jnp


@jax.jit
def deltas(x):
    prev = None
    total = 0.0
    for i in range(x.shape[0]):
        if prev is not None:
            total = total * 0.9 + (x[i] - prev)
        prev = x[i]
    return total


@jax.jit
def rnn(xs, w, h=None, mask=None):
    if h is None:
        h = jnp.zeros(2)
    for i in range(xs.shape[0]):
        h = jnp.tanh(w @ h + xs[i])
        if mask is not None:
            h = h * mask[i]
    return h


# call: deltas(jnp.array([1.0, 4.0, 2.0]))
# call: deltas(jnp.array([1.0]))
# call: deltas(jnp.array([250, 3, 9], dtype=jnp.uint8))
# call: rnn(jnp.ones((3, 2)), jnp.eye(2))
# call: rnn(jnp.ones((3, 2)), jnp.eye(2), mask=jnp.array([1, 0, 1]))
