"""The losses are Python floats, and the epoch's best is kept."""

import jax
import jax.numpy as jnp


@jax.jit
def step(w, lr):
    return w - lr * jnp.sin(w), jnp.sum(w**2)


def run(w, epochs, lr=0.1):
    best, losses = float("inf"), []
    for epoch in range(epochs):
        w, loss = step(w, lr / (1 + epoch))
        losses.append(float(loss))
        best = min(best, losses[-1])
    return w, losses, best


# call: run(jnp.ones(3), 30)
# call: run(jnp.ones(3), 0)
# call: run(jnp.full(3, jnp.nan), 3)
