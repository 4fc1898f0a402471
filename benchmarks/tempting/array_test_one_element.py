"""A test on an array of one element holds as its bool does; the arm keeps its shape."""

import jax
import jax.numpy as jnp


@jax.jit
def relu1(x):
    if x > 0:
        return x
    return jnp.zeros(())


@jax.jit
def branch(x, bias):
    if x:
        y = x + bias
    else:
        y = bias
    return y


# call: relu1(jnp.array([2.0]))
# call: relu1(jnp.array([-2.0]))
# call: branch(jnp.array([[0.0]]), jnp.ones(3))
# call: branch(jnp.array([2.0]), jnp.ones(3))
