"""Casts by int() and round() of values read from an array, on the host."""
import jax.numpy as jnp


def quantized(x, step):
    levels = []
    for i in range(len(x)):
        levels.append(round(float(x[i]) / step))
    return levels


def dithered(x):
    err = 0.0
    total = 0
    for v in x:
        want = float(v) + err
        got = int(want)
        err = want - got
        total = total + got
    return total, err


# call: quantized(jnp.array([0.5, 1.5, 2.5, -0.5, -1.5]), 1.0)
# call: quantized(jnp.array([1e12, -3e15]), 0.5)
# call: dithered(jnp.array([0.6, 0.6, -1.7, 2.5e10]))
# call: dithered(jnp.zeros(0))
