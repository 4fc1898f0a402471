"""Module globals that are read and changed by loops."""
import jax
import jax.numpy as jnp

CALLS = 0
SCALES = [1.0, 0.5, 0.25, 3]
LAST = {}


def objective(x):
    global CALLS
    CALLS += 1
    return jnp.sum((x - 1) ** 2)


def descent(x, n):
    global CALLS
    CALLS = 0
    for _ in range(n):
        f = objective(x)
        x = x - 0.1 * f * jnp.sign(x - 1)
    return x, CALLS


@jax.jit
def scaled(x):
    for i in range(len(SCALES)):
        x = x * SCALES[i] + i
    return x


def noted(x, n):
    for k in range(n):
        x = x * 0.5
        LAST["k"] = k
    return x, LAST.get("k")


# call: descent(jnp.array([3.0, -1.0]), 4)
# call: scaled(jnp.array([1.0, 2.0]))
# call: scaled(jnp.array([1, 2]))
# call: noted(jnp.ones(2), 3)
