"""Rows treated one by one on the host, with functions that look at the row."""
import jax.numpy as jnp


def normalised(rows):
    out = []
    for r in rows:
        out.append(r / r.size)
    return jnp.stack(out)


def totals(rows):
    out = []
    for r in rows:
        t = 0
        for v in r:
            t = t + v
        out.append(t)
    return jnp.array(out)


def ranked(rows):
    return jnp.stack([jnp.argsort(r)[::-1] for r in rows])


def scaled(rows, factors):
    return jnp.stack([rows[i] * factors[i] for i in range(len(factors))])


# call: normalised(jnp.array([[200, 3], [1, 2]], dtype=jnp.uint8))
# call: normalised(jnp.arange(3.0))
# call: totals(jnp.array([[200, 100], [1, 2]], dtype=jnp.uint8))
# call: ranked(jnp.array([[1.0, 1.0, jnp.nan], [0.0, -0.0, 2.0]]))
# call: scaled(jnp.ones((3, 2)), [1, 2, 3])
# call: scaled(jnp.array([[200, 3], [1, 2]], dtype=jnp.uint8), jnp.array([2, 300]))
# call: scaled(jnp.ones((2, 2)), jnp.arange(4.0))
# call: scaled(jnp.ones((4, 2)), jnp.arange(2.0))
