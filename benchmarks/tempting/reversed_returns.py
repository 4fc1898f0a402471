"""Discounted returns collected backwards."""
import jax
import jax.numpy as jnp


@jax.jit
def returns(rewards, gamma):
    g = 0.0
    out = []
    for r in reversed(rewards):
        g = r + gamma * g
        out.append(g)
    return jnp.stack(out[::-1])


@jax.jit
def advantages(rewards, values, done):
    n = rewards.shape[0]
    adv = jnp.zeros(n)
    last = 0.0
    for t in reversed(range(n)):
        nxt = values[t + 1]
        delta = rewards[t] + 0.9 * nxt * (1 - done[t]) - values[t]
        last = delta + 0.8 * (1 - done[t]) * last
        adv = adv.at[t].set(last)
    return adv


# call: returns(jnp.array([1.0, 2.0, 3.0]), 0.5)
# call: returns(jnp.array([1, 2, 3]), 2)
# call: advantages(jnp.array([1.0, 2.0, 3.0]), jnp.arange(3.0), jnp.array([0, 1, 0]))
# call: advantages(jnp.array([1.0]), jnp.arange(2.0), jnp.array([0.0]))
