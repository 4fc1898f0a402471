"""A key is split in one arm only and used again in the other."""

import jax
import jax.numpy as jnp


@jax.jit
def sampler(key, x):
    accepted = 0
    for _ in range(30):
        proposal = x + jax.random.normal(key, x.shape)
        if jnp.sum(proposal**2) < jnp.sum(x**2) + 1.0:
            x = proposal
            key, _unused = jax.random.split(key)
            accepted += 1
        else:
            key = jax.random.fold_in(key, accepted)
    return x, accepted


# call: sampler(jax.random.key(1), jnp.zeros(2))
# call: sampler(jax.random.key(1), jnp.full(2, jnp.nan))
# call: sampler(jax.random.PRNGKey(7), jnp.full(2, 9.0))
