"""is, isinstance and type tests on values in loops."""
import jax
import jax.numpy as jnp


def flattened(items):
    out = []
    for x in items:
        if isinstance(x, (list, tuple)):
            out.extend(flattened(x))
        else:
            out.append(x * 2)
    return out


def optional_sum(items):
    total = None
    for x in items:
        total = x if total is None else total + x
    return total


@jax.jit
def first_or_sum(x):
    acc = None
    for i in range(x.shape[0]):
        acc = x[i] if acc is None else acc * 0.5 + x[i]
    return acc


# call: flattened([1, (2.5, [jnp.ones(2)])])
# call: optional_sum(jnp.arange(4.0))
# call: optional_sum(jnp.zeros(0))
# call: first_or_sum(jnp.array([200, 3, 4], dtype=jnp.uint8))
# call: first_or_sum(jnp.arange(5.0))
