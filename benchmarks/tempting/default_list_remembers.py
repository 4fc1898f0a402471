"""A default list lives from call to call and is filled by the loop."""

import jax
import jax.numpy as jnp


def remember(xs: jax.Array, seen=[]):
    for x in xs:
        seen.append(float(x))
    return len(seen), sum(seen)


def fresh(xs: jax.Array, seen=None):
    seen = [] if seen is None else seen
    for x in xs:
        seen.append(x * 2)
    return jnp.array(seen)


# call: remember(jnp.array([1.0, 2.0]))
# call: remember(jnp.array([3, 4, 5]))
# call: remember(jnp.zeros((0,)))
# call: fresh(jnp.array([1.0, jnp.nan]))
# call: fresh(jnp.array([100, 3], dtype=jnp.int8))
# call: fresh(jnp.array([1, 2]), [0.5])
# call: fresh(jnp.array([1.0, 2.0]), [7])
