"""Tuples and dicts per example; the caller gets lists of them."""

import jax
import jax.numpy as jnp


def analyse(x):
    return {"mean": x.mean(), "n": x.shape[0], "top": jnp.argmax(x)}


def analyse_all(xs: jax.Array):
    means, tops, n = [], [], 0
    for x in xs:
        r = analyse(x)
        means.append(r["mean"])
        tops.append(r["top"])
        n += r["n"]
    return jnp.stack(means), jnp.array(tops), n


def as_list(xs: jax.Array):
    return [(x.min(), x.max()) for x in xs]


# call: analyse_all(jnp.arange(12.0).reshape(4, 3))
# call: analyse_all(jnp.array([[jnp.nan, 1.0], [1.0, 1.0]]))
# call: as_list(jnp.arange(12.0).reshape(4, 3))
# call: as_list(jnp.zeros((0, 3)))
