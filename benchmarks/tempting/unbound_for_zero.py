"""Names that stay unbound when the loop makes no trip."""
import jax
import jax.numpy as jnp


def tail(x, n):
    try:
        for i in range(n):
            last = x * i
        return last
    except UnboundLocalError:
        return x - 1


def collected(rows):
    out = []
    for r in rows:
        out.append(jnp.tanh(r))
    if not out:
        return None
    return jnp.stack(out)


def total(rows):
    s = 0
    for r in rows:
        s = s + r.sum()
    return s


# call: tail(jnp.ones(2), 0)
# call: tail(jnp.ones(2), 3)
# call: collected(jnp.zeros((0, 3)))
# call: collected(jnp.ones((2, 3)))
# call: total(jnp.zeros((0, 3)))
