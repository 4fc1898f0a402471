"""Host loop of a jitted step; the loss is appended before the test that breaks."""

import jax
import jax.numpy as jnp


@jax.jit
def step(w, x):
    loss, grad = jax.value_and_grad(lambda w: jnp.mean((x * w - 1.0) ** 2))(w)
    return w - 0.1 * grad, loss


def train(w, xs: jax.Array):
    losses = []
    for i in range(xs.shape[0]):
        w, loss = step(w, xs[i])
        if jnp.isnan(loss):
            break
        losses.append(loss)
    return w, losses


# call: train(jnp.ones(3), jnp.ones((40, 3)))
# call: train(jnp.ones(3), jnp.ones((40, 3)).at[5].set(jnp.nan))
# call: train(jnp.ones(3), jnp.ones((0, 3)))
# call: train(jnp.ones((), jnp.float32), jnp.ones((4, 3)))
