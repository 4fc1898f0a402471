"""A log as a dict of lists, stacked at the end."""
import jax
import jax.numpy as jnp


@jax.jit
def descent(x):
    log = {"loss": [], "grad": []}
    for k in range(5):
        g = 2 * x - 1
        log["loss"].append(jnp.sum(x**2))
        log["grad"].append(g)
        x = x - 0.1 * g
    return x, {name: jnp.stack(v) for name, v in log.items()}


def history(x, steps):
    log = {"x": [], "k": []}
    for k in range(steps):
        x = jnp.cos(x)
        log["x"].append(float(x))
        log["k"].append(k)
    return log


# call: descent(jnp.array([1.0, -2.0]))
# call: descent(jnp.array([1, 2]))
# call: history(jnp.float32(0.3), 4)
# call: history(jnp.float32(0.3), 0)
