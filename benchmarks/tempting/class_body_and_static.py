"""Methods of classes and static ones, with state of the class."""

import jax
import jax.numpy as jnp


class Filter:
    gain = 0.5

    @staticmethod
    def once(y, x):
        return y + Filter.gain * (x - y)

    @classmethod
    def run(cls, xs: jax.Array):
        y = xs[0]
        for x in xs:
            y = cls.once(y, x)
        return y


class Slow(Filter):
    gain = 0.1


def both(xs: jax.Array):
    return Filter.run(xs), Slow.run(xs)


# call: both(jnp.arange(12.0))
# call: Filter.run(jnp.arange(12))
