"""Functions that return the list itself, or a tuple, not an array."""
import jax
import jax.numpy as jnp


def scores(rows, w):
    out = []
    for row in rows:
        out.append(jnp.dot(row, w))
    return out


@jax.jit
def layers(x, ws):
    acts = []
    for i in range(ws.shape[0]):
        x = jnp.tanh(ws[i] @ x)
        acts.append(x)
    return tuple(acts)


def normalised(rows):
    return [row / jnp.linalg.norm(row) for row in rows]


# call: scores(jnp.ones((3, 2)), jnp.array([1.0, 2.0]))
# call: scores(jnp.zeros((0, 2)), jnp.array([1.0, 2.0]))
# call: layers(jnp.ones(2), jnp.ones((3, 2, 2)))
# call: normalised(jnp.array([[3.0, 4.0], [0.0, 0.0]]))
