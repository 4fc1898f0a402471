"""Per-example comprehensions in jnp.stack and jnp.array."""
import jax
import jax.numpy as jnp


def softmaxes(rows):
    return jnp.stack([jax.nn.softmax(r) for r in rows])


def outer_scores(xs, w):
    return jnp.array([x @ w @ x for x in xs])


def top(rows, k):
    return jnp.stack([jnp.sort(r)[-k:] for r in rows])


def indexed(rows, at):
    return jnp.stack([rows[i][at[i]] for i in range(len(at))])


# call: softmaxes(jnp.array([[1.0, 2.0], [jnp.inf, 0.0]]))
# call: outer_scores(jnp.arange(6).reshape(3, 2), jnp.eye(2))
# call: top(jnp.array([[3.0, 1.0, jnp.nan], [1.0, 1.0, 2.0]]), 2)
# call: indexed(jnp.arange(12.0).reshape(4, 3), [0, -1, 7])
# call: indexed(jnp.arange(12.0).reshape(4, 3), jnp.array([2, -3]))
