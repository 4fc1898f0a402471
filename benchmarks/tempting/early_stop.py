"""Host loops with break, continue and else."""
import jax.numpy as jnp


def first_above(x, limit):
    for i in range(x.shape[0]):
        if x[i] > limit:
            break
    return i


def found(x, limit):
    for i in range(x.shape[0]):
        if x[i] > limit:
            at = i
            break
    else:
        at = -1
    return at


def positive_sum(x):
    s = 0.0
    for v in x:
        if v <= 0:
            continue
        s = s + jnp.log(v)
    return s


def until_stable(x):
    for k in range(50):
        new = jnp.cos(x)
        if jnp.max(jnp.abs(new - x)) < 1e-2:
            break
        x = new
    return x, k


# call: first_above(jnp.array([1.0, 5.0, 9.0]), 4.0)
# call: first_above(jnp.array([1.0, jnp.nan]), 4.0)
# call: found(jnp.array([1.0, 2.0]), 4.0)
# call: positive_sum(jnp.array([1.0, -2.0, jnp.nan, 0.0]))
# call: until_stable(jnp.array([0.1, 2.0]))
