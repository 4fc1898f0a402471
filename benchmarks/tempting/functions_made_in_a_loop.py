"""Each function remembers the variable, not the value it had."""

import jax
import jax.numpy as jnp


def composed(x: jax.Array, shifts=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)):
    steps = []
    for s in shifts:
        steps.append(lambda y: y * 0.5 + s)
    for f in steps:
        x = f(x)
    return x


def bound(x: jax.Array, shifts=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)):
    steps = [lambda y, s=s: y * 0.5 + s for s in shifts]
    for f in steps:
        x = f(x)
    return x


# call: composed(jnp.array([1.0, 2.0]))
# call: bound(jnp.array([1.0, 2.0]))
# call: bound(jnp.array([1, 2]), shifts=())
