"""An assert looks at a Python number or at a shape, or at a value, on each trip."""

import jax
import jax.numpy as jnp


@jax.jit
def shapes_checked(xs):
    acc = 0
    for i, x in enumerate(xs):
        assert x.ndim == xs.ndim - 1, "rows expected"
        assert i < 100
        acc = acc * 2 + x
    return acc


def values_checked(xs: jax.Array):
    acc, bad = 0, 0
    for x in xs:
        try:
            assert (x >= 0).all(), "negative"
            acc = acc + x
        except AssertionError as error:
            bad += len(str(error))
    return acc, bad


# call: shapes_checked(jnp.arange(20.0).reshape(10, 2))
# call: shapes_checked(jnp.array([100, 100, 3], dtype=jnp.int8))
# call: shapes_checked(jnp.zeros((0, 2)))
# call: shapes_checked(jnp.array([True, True]))
# call: values_checked(jnp.array([1.0, -1.0, 2.0, jnp.nan]))
# call: values_checked(jnp.array([[1, 2], [-3, 4], [100, 100]], dtype=jnp.int8))
