"""Strings and objects chosen by index in a loop."""
import jax.numpy as jnp
import numpy as np

UNITS = ["m", "s", "kg"]
ACTIVATIONS = {"tanh": jnp.tanh, "relu": lambda x: jnp.maximum(x, 0), "id": lambda x: x}


def labelled(values):
    out = []
    for i in range(len(values)):
        out.append(f"{float(values[i]):.1f} {UNITS[i % 3]}")
    return out


def network(x, names, ws):
    for i in range(len(names)):
        x = ACTIVATIONS[names[i]](ws[i] @ x)
    return x


def grades(scores):
    return np.array(["high" if s > 0.5 else "low" for s in scores])


def objects(rows):
    out = np.empty(len(rows), dtype=object)
    for i in range(len(rows)):
        out[i] = jnp.sort(rows[i])
    return out.tolist()


# call: labelled(jnp.arange(4.0))
# call: network(jnp.ones(2), ["tanh", "relu", "id"], jnp.ones((3, 2, 2)))
# call: network(jnp.ones(2), ["tanh", "tanh", "tanh"], jnp.ones((3, 2, 2)))
# call: grades(jnp.array([0.1, jnp.nan, 0.9]))
# call: objects(jnp.array([[3.0, 1.0], [2.0, 5.0]]))
