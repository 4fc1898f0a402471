"""Per-example work whose result depends on other rows or on the count."""
import jax
import jax.numpy as jnp


def whitened(rows):
    mean = rows.mean(0)
    out = []
    for row in rows:
        out.append((row - mean) / (1 + jnp.abs(row).sum()))
    return jnp.stack(out)


def leave_one_out(x):
    out = []
    for i in range(x.shape[0]):
        rest = jnp.concatenate([x[:i], x[i + 1:]])
        out.append(rest.mean())
    return jnp.stack(out)


def neighbour(rows):
    out = []
    for i in range(len(rows)):
        out.append(jnp.dot(rows[i], rows[i - 1]))
    return jnp.stack(out)


# call: whitened(jnp.arange(6.0).reshape(3, 2))
# call: leave_one_out(jnp.arange(5.0))
# call: leave_one_out(jnp.array([1, 2]))
# call: neighbour(jnp.arange(6.0).reshape(3, 2))
# call: neighbour(jnp.ones((1, 2)))
