"""Lambdas made in a loop and called after it."""
import jax
import jax.numpy as jnp


@jax.jit
def late(x):
    fs = []
    for i in range(4):
        fs.append(lambda y: y * 0.5 + i)
    for f in fs:
        x = f(x)
    return x


@jax.jit
def bound(x):
    fs = [lambda y, i=i: y * 0.5 + i for i in range(4)]
    for f in fs:
        x = f(x)
    return x


@jax.jit
def closure_over_carry(x):
    scale = x[0]
    read = lambda: scale * 2
    for i in range(3):
        scale = scale + x[i] * read()
    return scale


# call: late(jnp.ones(2))
# call: bound(jnp.ones(2))
# call: closure_over_carry(jnp.array([1.0, 2.0, 3.0]))
