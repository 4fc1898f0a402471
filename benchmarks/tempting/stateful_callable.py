"""A callable that counts its calls, used inside a loop."""
import jax
import jax.numpy as jnp


class Schedule:
    def __init__(self, start):
        self.rate = start
        self.calls = 0

    def __call__(self):
        self.calls += 1
        self.rate = self.rate * 0.5
        return self.rate


def optimised(x, start):
    schedule = Schedule(start)
    for _ in range(5):
        x = x - schedule() * 2 * x
    return x, schedule.calls


def smoothed(x, start, steps):
    schedule = Schedule(start)
    out = []
    for _ in range(steps):
        out.append(jnp.tanh(x * schedule()))
    return jnp.stack(out)


# call: optimised(jnp.array([1.0, -2.0]), 0.25)
# call: optimised(jnp.array([1, -2]), 1)
# call: smoothed(jnp.array([1.0, -2.0]), 1.0, 3)
