"""An object with its own indexing is not an array: each reading of it is counted, and it can be read past its end."""

import jax
import jax.numpy as jnp


class Table:
    def __init__(self, values):
        self.values = values
        self.reads = 0

    def __len__(self):
        return len(self.values) + 2

    def __getitem__(self, i):
        self.reads += 1
        return self.values[i % len(self.values)] * (i + 1)


def weigh(x: jax.Array, values):
    table = Table(values)
    for i in range(len(table)):
        x = x + table[i]
    return x, table.reads


@jax.jit
def plain(x, values):
    for i in range(len(values)):
        x = x * 0.5 + values[i]
    return x


# call: weigh(jnp.ones(2), [1, 2, 3])
# call: weigh(jnp.array([1, 2], dtype=jnp.int8), (10, 20))
# call: weigh(jnp.float32(0.0), jnp.array([0.5, 0.25, 2.0]))
# call: plain(jnp.ones(2), jnp.arange(9.0))
# call: plain(jnp.int32(1), jnp.arange(9))
# call: plain(jnp.ones(2), [1, 2.5, True])
# call: plain(jnp.float16(3), ())
