"""Methods that keep state on self in a loop."""
import jax
import jax.numpy as jnp


class Filter:
    def __init__(self, alpha):
        self.alpha = alpha
        self.level = 0.0
        self.seen = 0

    def update(self, v):
        self.level = self.alpha * v + (1 - self.alpha) * self.level
        self.seen += 1
        return self.level

    def run(self, xs):
        out = []
        for v in xs:
            out.append(self.update(v))
        return jnp.stack(out)

    def drain(self, x):
        for _ in range(5):
            self.level = self.level * 0.5 + x
            self.seen = self.seen + 1
        return self.level


def filtered(xs, alpha):
    f = Filter(alpha)
    y = f.run(xs)
    return y, f.level, f.seen


def drained(x):
    f = Filter(0.5)
    f.drain(x)
    return f.level, f.seen


# call: filtered(jnp.arange(4.0), 0.25)
# call: filtered(jnp.array([1, 2, 3]), 1)
# call: drained(jnp.array([1.0, 2.0]))
# call: drained(2)
