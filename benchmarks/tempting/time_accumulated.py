"""Time accumulated in a Python float, deciding an index."""
import jax
import jax.numpy as jnp


@jax.jit
def held(table):
    t = 0.0
    out = 0.0
    for _ in range(30):
        out = out + table[int(t / 0.1) % table.shape[0]]
        t = t + 0.1
    return out


@jax.jit
def stair(x):
    t = 0.0
    for i in range(11):
        x = x + jnp.floor(x * 0 + t)
        t += 0.1
    return x


# call: held(jnp.arange(7.0) ** 3)
# call: held(jnp.array([1, 20, 300]))
# call: stair(jnp.zeros(2))
# call: stair(jnp.array([1.0, jnp.inf]))
