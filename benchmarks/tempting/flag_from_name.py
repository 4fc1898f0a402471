"""A setting by a name's look is a number elsewhere, and None by default."""

import jax
import jax.numpy as jnp


@jax.jit
def layer(x, training=False, use_bias=None):
    if training:
        x = x * 0.5
    if use_bias is not None:
        x = x + use_bias
    return x


@jax.jit
def forward(x, flags):
    for k in range(3):
        x = layer(x, training=flags[k])
    return layer(x, use_bias=flags.sum())


# call: layer(jnp.ones(2), True)
# call: layer(jnp.ones(2), jnp.array(True), jnp.ones(2))
# call: forward(jnp.ones(2), jnp.array([True, False, True]))
# call: layer(jnp.ones(2), 1)
