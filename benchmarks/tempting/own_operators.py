"""Objects with their own operators are carried, which keep a record of what was done."""

import jax
import jax.numpy as jnp


class Dual:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __mul__(self, other):
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

    def __add__(self, other):
        return Dual(self.value + other, self.slope)


def power(x: jax.Array, n=12):
    d = Dual(x, jnp.ones_like(x))
    out = Dual(jnp.ones_like(x), jnp.zeros_like(x))
    for _ in range(n):
        out = out * d + 0.125
    return out.value, out.slope


# call: power(jnp.array([1.0, 0.5]))
# call: power(jnp.float32(2.0), n=0)
