"""A counter of the module is raised in one arm."""

import jax
import jax.numpy as jnp

clipped = {"times": 0}


def note(kind):
    clipped[kind] = clipped.get(kind, 0) + 1


@jax.jit
def clip_norm(g, limit):
    norm = jnp.linalg.norm(g)
    if norm > limit:
        note("times")
        g = g * (limit / norm)
    return g


def run(gs, limit):
    clipped["times"] = 0
    out = [clip_norm(g, limit) for g in gs]
    return jnp.stack(out), clipped["times"]


# call: run(jnp.array([[3.0, 4.0], [0.0, 0.0]]), 1.0)
# call: clip_norm(jnp.zeros(2), 1.0)
# call: run(jnp.array([[3.0, 4.0], [30.0, 4.0], [30.0, 40.0]]), 10)
