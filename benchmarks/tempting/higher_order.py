"""Functions passed in, partials and compositions in loops."""
import functools

import jax
import jax.numpy as jnp


def repeat(f, x, n):
    for _ in range(n):
        x = f(x)
    return x


def blend(x, a, b):
    return a * x + b


@jax.jit
def composed(x):
    fs = [functools.partial(blend, a=0.5, b=k) for k in range(4)]
    for f in fs:
        x = f(x)
    return x


@jax.jit
def grads(x):
    f = lambda v: jnp.sum(v**3)
    for _ in range(3):
        x = x - 0.01 * jax.grad(f)(x)
    return x


# call: repeat(jnp.sin, jnp.ones(2), 3)
# call: repeat(lambda v: v[:-1], jnp.arange(5.0), 3)
# call: repeat(lambda v: v + 1, 2**31 - 2, 4)
# call: composed(jnp.ones(2))
# call: grads(jnp.array([1.0, -2.0]))
