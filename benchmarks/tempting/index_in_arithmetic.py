"""The index goes into powers, divisions and comparisons as a Python int."""

import jax
import jax.numpy as jnp


@jax.jit
def basis(x):
    return jnp.stack([x**i / (2**i) for i in range(40)])


@jax.jit
def signs(x):
    rows = []
    for i in range(x.shape[0]):
        rows.append((-1) ** i * x[i] + i / 3 - i // 2)
    return jnp.stack(rows)


# call: basis(jnp.float32(0.0))
# call: basis(jnp.array([-2.0, 1.5]))
# call: signs(jnp.arange(20))
# call: signs(jnp.arange(20, dtype=jnp.float16))
