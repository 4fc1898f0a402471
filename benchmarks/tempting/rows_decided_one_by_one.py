"""Each row decides for itself; all at once the decision must be made for each row too."""

import jax
import jax.numpy as jnp


def flipped(rows: jax.Array):
    out = []
    for r in rows:
        if r.sum() < 0:
            r = r[::-1]
        out.append(r)
    return jnp.stack(out)


def normalised(rows: jax.Array):
    out = []
    for r in rows:
        top = r.max()
        out.append(jnp.where(top > 0, r / jnp.where(top > 0, top, 1), r))
    return jnp.stack(out)


def lengths(rows: jax.Array):
    out = []
    for r in rows:
        if r[0] > 0:
            out.append(r)
        else:
            out.append(r[:1])
    return out


# call: flipped(jnp.array([[1.0, -3.0], [1.0, 3.0], [jnp.nan, 1.0]]))
# call: flipped(jnp.array([[100, 100], [-100, -100]], dtype=jnp.int8))
# call: normalised(jnp.array([[1.0, 4.0], [0.0, -3.0], [jnp.inf, 1.0]]))
# call: normalised(jnp.array([[1, 4], [0, -3]]))
# call: normalised(jnp.ones((1, 2), jnp.float16))
# call: lengths(jnp.array([[1, 2], [0, 5]]))
# call: lengths(jnp.zeros((0, 2)))
