"""Random numbers of NumPy and of JAX with keys, drawn in order."""
import jax
import jax.numpy as jnp
import numpy as np


def walk(x, steps, seed):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        x = x + jnp.asarray(rng.normal(size=x.shape), dtype=jnp.float32)
    return x


@jax.jit
def keyed(x, key):
    for i in range(5):
        key, sub = jax.random.split(key)
        x = x + jax.random.normal(sub, x.shape)
    return x, key


@jax.jit
def folded(x, key):
    for i in range(5):
        x = x + jax.random.uniform(jax.random.fold_in(key, i), x.shape)
    return x


def bootstrap(data, key):
    return jnp.stack([jax.random.choice(k, data, data.shape).mean() for k in jax.random.split(key, 4)])


# call: walk(jnp.zeros(3), 4, 7)
# call: keyed(jnp.zeros(3), jax.random.key(1))
# call: keyed(jnp.zeros(3), jax.random.PRNGKey(1))
# call: folded(jnp.zeros(2), jax.random.key(2))
# call: bootstrap(jnp.arange(5.0), jax.random.key(3))
