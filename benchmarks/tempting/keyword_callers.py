"""A helper whose arguments are static for one caller and traced for another."""
import jax
import jax.numpy as jnp


def solve(x, rounds, gain=0.5, square=False):
    for _ in range(rounds):
        x = x - gain * (x - 1)
        if square:
            x = x * x
    if gain > 0.4:
        x = x + 1
    return x


def scheduled(x):
    for k in range(3):
        x = solve(x, k, gain=0.3 * k, square=k == 2)
    return x


@jax.jit
def compiled(x):
    return solve(x, 3, square=True)


# call: scheduled(jnp.array([1.0, 2.0]))
# call: compiled(jnp.array([1, 2]))
# call: solve(jnp.ones(2), 0, 1)
# call: solve(jnp.float32(3.0), 2, jnp.float32(0.1), jnp.bool_(True))
