"""Updates at duplicate indices: last one wins, sums add up, old values are read."""
import jax
import jax.numpy as jnp


@jax.jit
def histogram(bins, weight):
    h = jnp.zeros(4)
    for i in range(bins.shape[0]):
        h = h.at[bins[i]].add(weight[i])
    return h


@jax.jit
def last_wins(slots, value):
    out = jnp.full(3, -1.0)
    for i in range(slots.shape[0]):
        out = out.at[slots[i]].set(value[i])
    return out


@jax.jit
def hebbian(slots, value):
    m = jnp.ones(3)
    for i in range(slots.shape[0]):
        m = m.at[slots[i]].set(0.5 * m[slots[i]] + value[i])
    return m


# call: histogram(jnp.array([0, 1, 1, 3, 5, -1]), jnp.arange(6.0))
# call: last_wins(jnp.array([0, 1, 0, 1, 1]), jnp.arange(5.0))
# call: hebbian(jnp.array([2, 2, 2, 0]), jnp.arange(4.0))
# call: last_wins(jnp.array([7, -7, -3]), jnp.arange(3.0))
