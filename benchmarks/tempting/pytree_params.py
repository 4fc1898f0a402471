"""Layers in nested containers of different shapes."""
import jax
import jax.numpy as jnp


@jax.jit
def mlp(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(w @ x + b)
    w, b = params[-1]
    return w @ x + b


@jax.jit
def residual(params, x):
    for p in params:
        x = x + jnp.tanh(p["w"] @ x + p["b"])
    return x


@jax.jit
def norm(params):
    s = 0
    for leaf in jax.tree.leaves(params):
        s = s + jnp.sum(leaf**2)
    return s


# call: mlp([(jnp.ones((3, 2)), 0.5), (jnp.ones((2, 3)), jnp.zeros(2)), (jnp.ones((1, 2)), 1)], jnp.ones(2))
# call: residual([{"w": jnp.eye(2), "b": 1}, {"w": jnp.eye(2), "b": jnp.ones(2)}], jnp.ones(2))
# call: residual([{"w": jnp.eye(2), "b": 1}] * 3, jnp.array([1, 2]))
# call: norm({"a": jnp.arange(3), "b": [jnp.ones(2), 2.0]})
