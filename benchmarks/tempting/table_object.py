"""What is indexed in turn may be a tuple, also an empty one."""

import jax
import jax.numpy as jnp


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


@jax.jit
def total(xs):
    t = jnp.zeros(3)
    for i in range(len(xs)):
        t = t + xs[i]
    return t


@jax.jit
def walk(xs, s):
    for x in xs:
        s = jnp.tanh(s + x)
    return s


# call: total(jnp.ones((5, 3)))
# call: total(())
# call: total((jnp.ones(3), jnp.ones(3)))
# call: walk((), jnp.ones(3))
# call: walk(jnp.ones((5, 3)), jnp.ones(3))
