"""A name used by the mapped function is rebound in the loop after its use."""

import jax
import jax.numpy as jnp


def emphasised(xs: jax.Array):
    gain = 1
    out = []
    for x in xs:
        out.append(jnp.tanh(x) * gain)
        gain = gain * 0.5 if len(out) % 2 else gain
    return jnp.stack(out), gain


@jax.jit
def debiased(xs):
    power = 1.0
    rows = []
    for i in range(xs.shape[0]):
        power = power * 0.9
        rows.append(xs[i] / (1 - power))
    return jnp.stack(rows)


# call: emphasised(jnp.arange(6.0).reshape(3, 2))
# call: emphasised(jnp.ones((1, 2)))
# call: debiased(jnp.ones((20, 2)))
# call: debiased(jnp.ones((20, 2), jnp.int8))
