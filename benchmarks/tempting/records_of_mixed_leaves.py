"""Records made per row hold an array, a Python number, a text and a None."""

import jax
import jax.numpy as jnp


def record(row, tag):
    return {"peak": row.max(), "size": len(row), "tag": tag, "none": None}


def records(rows: jax.Array):
    out = []
    for row in rows:
        out.append(record(row, "r"))
    return out


def columns(rows: jax.Array):
    peaks, means = [], []
    for row in rows:
        peaks.append(row.max())
        means.append(row.mean())
    return {"peaks": jnp.stack(peaks), "means": jnp.stack(means)}


# call: records(jnp.array([[1.0, jnp.nan], [3.0, 2.0]]))
# call: records(jnp.zeros((0, 2)))
# call: columns(jnp.array([[1.0, jnp.nan], [3.0, 2.0]]))
# call: columns(jnp.array([[100, 127], [-128, -127]], dtype=jnp.int8))
# call: columns(jnp.array([[True, False]]))
# call: columns(jnp.ones((3, 1), jnp.bfloat16))
