"""Each trip makes its key from its own number, a negative one too, or uses one key over and over."""

import jax
import jax.numpy as jnp


@jax.jit
def seeded(x):
    for s in range(-2, 6):
        x = x + jax.random.randint(jax.random.key(s), x.shape, 0, 100)
    return x


@jax.jit
def same_key(x, key):
    for i in range(8):
        x = x * 0.5 + jax.random.uniform(key, x.shape) * i
    return x


@jax.jit
def folded(x, key):
    for i in range(8):
        k = jax.random.fold_in(key, i)
        x = x + jax.random.randint(k, x.shape, 0, 9)
        key = k
    return x, key


# call: seeded(jnp.array([1, 2]))
# call: seeded(jnp.zeros((0,), jnp.int32))
# call: same_key(jnp.array([1.0, 2.0]), jax.random.PRNGKey(-3))
# call: same_key(jnp.ones(3, jnp.float16), jax.random.PRNGKey(3))
# call: folded(jnp.array([1, 2]), jax.random.PRNGKey(0))
# call: folded(jnp.array([1.5]), jax.random.PRNGKey(7))
