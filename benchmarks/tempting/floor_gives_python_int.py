"""`math.floor` and its kin give whole numbers, the functions of arrays give floats; -0.0 has a sign only in one."""

import math

import jax
import jax.numpy as jnp


@jax.jit
def cell(x, width=0.25):
    return math.floor(x / width) % 7


@jax.jit
def signs(x):
    return math.copysign(1.0, x), math.ceil(x), math.isnan(x)


@jax.jit
def radius(x, y):
    return math.hypot(x, y) + math.sqrt(2)


@jax.jit
def remainders(x, m):
    return math.fmod(x, m), x % m


# call: cell(jnp.float32(3.3))
# call: cell(jnp.float32(-3.3))
# call: cell(jnp.int32(-5), width=2)
# call: signs(jnp.float32(-0.0))
# call: signs(jnp.float32(-2.5))
# call: radius(jnp.float32(3.0), jnp.float32(-4.0))
# call: remainders(jnp.float32(-7.5), jnp.float32(2.0))
# call: remainders(-7, 3)
