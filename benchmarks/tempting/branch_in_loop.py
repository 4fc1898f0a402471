"""Branches on traced values and on the index in one loop."""
import jax
import jax.numpy as jnp


def walk(x, n):
    ups = 0
    for k in range(n):
        if x > 0:
            x = x - 1.5
            ups = ups + 1
        else:
            x = x + 1
    return x, ups


@jax.jit
def on_index(x):
    for k in range(6):
        if k == 0:
            x = x + 10
        elif k % 2:
            x = x * 0.5
        else:
            x = x - k
    return x


def guarded(x):
    if x > 0 and jnp.log(x) < 2:
        y = jnp.sqrt(x)
    else:
        y = x * 0.0
    return y


# call: walk(jnp.float32(2.0), 5)
# call: walk(3, 4)
# call: on_index(jnp.array([1.0, 2.0]))
# call: on_index(jnp.array([1, 2]))
# call: guarded(jnp.float32(-1.0))
# call: guarded(jnp.float32(0.0))
