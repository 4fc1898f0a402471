"""Functions that are called with lists, tuples and ragged rows."""
import jax.numpy as jnp


def means(groups):
    return jnp.stack([jnp.mean(jnp.asarray(g)) for g in groups])


def norms(vectors):
    out = []
    for v in vectors:
        out.append(jnp.sqrt(jnp.sum(jnp.square(jnp.array(v)))))
    return jnp.array(out)


def combined(parts, weights):
    total = 0.0
    for p, w in zip(parts, weights):
        total = total + w * jnp.sum(p)
    return total


# call: means([[1.0, 2.0], [3.0], [4.0, 5.0, 6.0]])
# call: means(jnp.arange(6.0).reshape(2, 3))
# call: norms(([3, 4], [0.0, 1.0]))
# call: combined([jnp.ones(2), jnp.ones((3, 3))], (1, 2.5))
# call: combined(jnp.ones((2, 2)), jnp.array([1.0, jnp.nan]))
