"""Keys split one after the other, not all at once."""

import jax
import jax.numpy as jnp


def noisy(key, x, scale=0.1):
    return x + scale * jax.random.normal(key, x.shape)


def augment(key, xs: jax.Array):
    out = []
    for x in xs:
        key, sub = jax.random.split(key)
        out.append(noisy(sub, x))
    return jnp.stack(out), key


# call: augment(jax.random.key(0), jnp.zeros((4, 3)))
# call: augment(jax.random.PRNGKey(0), jnp.zeros((1, 3)))
# call: augment(jax.random.key(0), jnp.zeros((4, 3), jnp.float16))
