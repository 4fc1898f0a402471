"""An arm warns or writes to a log, only for the trips that take it."""

import logging
import warnings

import jax
import jax.numpy as jnp

class Shown(logging.Handler):
    def emit(self, record):
        print(record.levelname, record.getMessage())


log = logging.Logger("steps", logging.INFO)
log.addHandler(Shown())


def clipped(xs: jax.Array):
    out = []
    for i, x in enumerate(xs):
        if x > 2:
            log.info("step %d clipped", i)
            x = x * 0 + 2
        out.append(x)
    return jnp.array(out)


def warned(xs: jax.Array):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        total = 0
        for x in xs:
            if x < 0:
                warnings.warn("negative", stacklevel=1)
            else:
                total = total + x
    return total, len(caught)


def quiet(xs: jax.Array):
    total = 0
    for x in xs:
        if x < 0:
            total = total - 1
        else:
            total = total + x
    return total


# call: clipped(jnp.array([1.0, 3.0, 2.0, jnp.inf]))
# call: clipped(jnp.array([5, 1], dtype=jnp.int8))
# call: warned(jnp.array([1.0, -3.0, -0.0, jnp.nan]))
# call: warned(jnp.array([100, -3, 100], dtype=jnp.int8))
# call: quiet(jnp.array([1.0, -3.0, -0.0, 2.5]))
# call: quiet(jnp.array([100, -3, 100], dtype=jnp.int8))
# call: quiet(jnp.zeros((0,)))
