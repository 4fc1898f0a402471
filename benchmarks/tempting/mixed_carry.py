"""A carry that starts whole and turns to a float on the way."""
import jax
import jax.numpy as jnp


@jax.jit
def interest(balance, rate):
    years = 0
    for i in range(rate.shape[0]):
        balance = balance * (1 + rate[i])
        years = years + 1
    return balance, years


def simulate(steps, dt):
    t = 0
    pos = jnp.zeros(2)
    for _ in range(steps):
        pos = pos + dt * jnp.array([1.0, t])
        t = t + dt
    return pos, t


# call: interest(100, jnp.array([0.5, 0.25]))
# call: interest(100, jnp.zeros(0))
# call: interest(jnp.int32(7), jnp.array([1, 2, 3]))
# call: simulate(0, 0.25)
# call: simulate(9, 0.25)
