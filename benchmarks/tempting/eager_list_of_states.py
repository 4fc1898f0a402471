"""The eager sampler keeps states of some trips, and the rate is a Python number that changes."""

import jax
import jax.numpy as jnp


def drift(x):
    wells = 4.0 * x * (1.0 - x**2) - 0.3 * jnp.cos(3.0 * x)
    return wells - 0.1 * jnp.tanh(x - jnp.mean(x)) - 0.2 * x / (1.0 + x**2)


def sample(key, x: jax.Array, num_steps, rate=0.01):
    kept, accepted = [], 0
    for k in range(num_steps):
        key, subkey, third = jax.random.split(key, 3)
        noise = jax.random.normal(subkey, x.shape)
        proposal = x + rate * drift(x) + jnp.sqrt(2.0 * rate) * noise
        if jnp.sum(proposal**2) < jnp.sum(x**2) + jax.random.exponential(third):
            x = proposal
            accepted += 1
        rate = rate * 0.99
        if k % 3 == 0:
            kept.append(x)
    return jnp.stack(kept), accepted / num_steps, key


# call: sample(jax.random.key(0), jnp.zeros(2), 10)
# call: sample(jax.random.key(0), jnp.zeros(2), 1, 1)
# call: sample(jax.random.PRNGKey(0), jnp.ones(2), 12)
