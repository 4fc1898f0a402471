"""Each row iterates until it is done; under vmap all go on, with NaN where they would have stopped."""

import jax
import jax.numpy as jnp


def settle(x):
    while jnp.max(x) > 1.0:
        x = jnp.log(x)
    return x


def settle_all(xs: jax.Array):
    return jnp.stack([settle(x) for x in xs])


def guarded(x):
    if x[0] > 0:
        return jnp.log(x[0])
    return x[0] * 2


def guarded_all(xs: jax.Array):
    out = []
    for x in xs:
        out.append(guarded(x))
    return jnp.array(out)


# call: settle_all(jnp.array([[1e20, 2.0], [0.5, 0.5]]))
# call: settle_all(jnp.ones((1, 2)))
# call: guarded_all(jnp.array([[0.0, 1.0], [2.0, 1.0]]))
# call: guarded_all(jnp.array([[-1.0], [jnp.nan]]))
