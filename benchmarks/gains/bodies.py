"""Five bodies over a batch, one example at a time; `arguments` are what each is called with."""

import jax
import jax.numpy as jnp

EXAMPLES = 1000


def mlp(weights, x):
    return jnp.tanh(jnp.tanh(x @ weights) @ weights.T)


def step(x):
    k1 = jnp.cos(x) - 0.1 * x
    k2 = jnp.cos(x + 0.05 * k1) - 0.1 * (x + 0.05 * k1)
    return x + 0.1 * k2


def dot(xs: jax.Array, ys: jax.Array):
    out = []
    for i in range(xs.shape[0]):
        out.append(jnp.dot(xs[i], ys[i]))
    return jnp.stack(out)


def convolution(xs: jax.Array, window: jax.Array):
    out = []
    for x in xs:
        out.append(jnp.convolve(x, window, mode="same"))
    return jnp.stack(out)


def network(xs: jax.Array, weights: jax.Array):
    return jnp.stack([mlp(weights, x) for x in xs])


def solve(matrices: jax.Array, xs: jax.Array):
    out = []
    for i in range(xs.shape[0]):
        out.append(jnp.linalg.solve(matrices[i], xs[i]))
    return jnp.stack(out)


def ode_step(xs: jax.Array):
    out = jnp.zeros(xs.shape)
    for i in range(xs.shape[0]):
        out = out.at[i].set(step(xs[i]))
    return out


def arguments():
    keys = jax.random.split(jax.random.key(0), 4)
    xs, ys = jax.random.normal(keys[0], (2, EXAMPLES, 16))
    matrices = jax.random.normal(keys[1], (EXAMPLES, 16, 16)) + 8 * jnp.eye(16)
    return {
        "dot": (xs, ys),
        "convolution": (xs, jax.random.normal(keys[2], (5,))),
        "network": (xs, jax.random.normal(keys[3], (16, 32))),
        "solve": (matrices, xs),
        "ode_step": (xs,),
    }
