"""With NumPy `acc = x[0]` is a view that `+=` writes through."""

import jax
import jax.numpy as jnp
import numpy as np


def column_sums(x):
    acc = x[0]
    for row in x[1:]:
        acc += row
    return jnp.asarray(acc)


# call: column_sums(np.arange(24.0).reshape(12, 2))
# call: column_sums(jnp.arange(24.0).reshape(12, 2))
