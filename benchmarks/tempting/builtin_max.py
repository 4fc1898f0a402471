"""The builtin max and min over scalars of an array."""
import jax.numpy as jnp


def drawdown(prices):
    top = 0.0
    worst = 0.0
    for p in prices:
        top = max(top, p)
        worst = min(worst, p - top)
    return worst


def clipped_sum(x, cap):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + min(x[i], cap)
    return total


# call: drawdown(jnp.array([1.0, 3.0, 2.0, jnp.nan, 5.0, 1.0]))
# call: drawdown(jnp.array([-1.0, -3.0]))
# call: clipped_sum(jnp.array([1.0, jnp.nan, 3.0]), 2.0)
# call: clipped_sum(jnp.array([-0.0, 5.0]), jnp.nan)
