"""Grouping by key with dictionaries, and joins by key."""
import jax.numpy as jnp
import numpy as np


def group_means(keys, values):
    groups = {}
    for k, v in zip(keys, values):
        groups.setdefault(int(k), []).append(v)
    return {k: jnp.mean(jnp.stack(v)) for k, v in sorted(groups.items())}


def joined(left, right):
    table = {k: i for i, k in enumerate(right)}
    out = np.full(len(left), -1)
    for i, k in enumerate(left):
        if k in table:
            out[i] = table[k]
    return out


def forward_filled(x):
    out = np.array(x)
    for i in range(1, len(out)):
        if np.isnan(out[i]):
            out[i] = out[i - 1]
    return out


# call: group_means(np.array([1, 2, 1]), jnp.array([1.0, 2.0, 3.0]))
# call: joined(["a", "b", "z"], ["b", "a", "a"])
# call: forward_filled(np.array([np.nan, 1.0, np.nan, np.nan, 2.0]))
# call: forward_filled(jnp.array([1.0, jnp.nan]))
