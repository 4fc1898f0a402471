"""A running product that starts again after a zero; the division trick by cumulative products does not know that."""

import jax
import jax.numpy as jnp


@jax.jit
def restarting(xs):
    p = 1
    out = []
    for x in xs:
        p = jnp.where(x == 0, 1, p * x)
        out.append(p)
    return jnp.array(out), p


def restarting_ifs(xs: jax.Array):
    best, p = 0, 1
    for x in xs:
        if x == 0:
            p = 1
        else:
            p = p * x
        if p > best:
            best = p
    return best


# call: restarting(jnp.array([2.0, 0.0, 3.0, 5.0, -0.0, 7.0, 0.5, 2.0]))
# call: restarting(jnp.array([100, 3, 0, 100, 2], dtype=jnp.uint8))
# call: restarting(jnp.array([True, False, True]))
# call: restarting(jnp.array([jnp.nan, 0.0, jnp.inf, 2.0]))
# call: restarting_ifs(jnp.array([100, 3, 0, 100, 2], dtype=jnp.uint8))
# call: restarting_ifs(jnp.array([-2, -3, 0, 4]))
# call: restarting_ifs(jnp.zeros((0,)))
