"""Dictionaries whose keys grow, or whose values change type."""
import jax
import jax.numpy as jnp


@jax.jit
def moments(x):
    out = {}
    p = x * 0 + 1
    for k in range(4):
        p = p * x
        out[f"m{k + 1}"] = p.mean()
    return out


@jax.jit
def adam(p, g):
    state = {"m": 0.0, "v": 0.0, "t": 0}
    for _ in range(5):
        state["t"] = state["t"] + 1
        state["m"] = 0.9 * state["m"] + 0.1 * g
        state["v"] = 0.999 * state["v"] + 0.001 * g * g
        mh = state["m"] / (1 - 0.9 ** state["t"])
        vh = state["v"] / (1 - 0.999 ** state["t"])
        p = p - 0.1 * mh / (jnp.sqrt(vh) + 1e-8)
    return p, state


@jax.jit
def params(x):
    d = {"w": x, "b": 0}
    for k in range(3):
        d = {name: v + k for name, v in d.items()}
    return d


# call: moments(jnp.arange(4.0))
# call: moments(jnp.array([1, 2, 3]))
# call: adam(jnp.ones(2), jnp.array([0.5, -3.0]))
# call: params(jnp.array([250, 253], dtype=jnp.uint8))
