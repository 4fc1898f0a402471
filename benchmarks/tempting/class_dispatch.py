"""Objects of several classes applied in turn."""
import jax
import jax.numpy as jnp


class Scale:
    def __init__(self, k):
        self.k = k

    def __call__(self, x):
        return x * self.k


class Shift(Scale):
    def __call__(self, x):
        return x + self.k


LAYERS = [Scale(0.5), Shift(1), Scale(2), Shift(0.25)]
SAME = [Scale(k + 1) for k in range(4)]


@jax.jit
def mixed(x):
    for layer in LAYERS:
        x = layer(x)
    return x


@jax.jit
def uniform(x):
    for i in range(len(SAME)):
        x = SAME[i](x)
    return x


# call: mixed(jnp.array([1.0, 2.0]))
# call: mixed(jnp.array([1, 2]))
# call: uniform(jnp.array([10, 11], dtype=jnp.uint8))
# call: uniform(jnp.array([1.0, jnp.inf]))
