"""Default arguments, some of them mutable, and keyword calls."""
import jax
import jax.numpy as jnp


def smooth(x, rounds=3, kernel=(0.25, 0.5, 0.25)):
    for _ in range(rounds):
        x = kernel[0] * jnp.roll(x, 1) + kernel[1] * x + kernel[2] * jnp.roll(x, -1)
    return x


def remembered(x, seen=[]):
    for v in x:
        seen.append(float(v))
    return len(seen)


@jax.jit
def decayed(x, rate=1):
    for k in range(5):
        x = x * rate + k
    return x


# call: smooth(jnp.arange(4.0))
# call: smooth(jnp.arange(4.0), rounds=0)
# call: smooth(x=jnp.arange(4), kernel=(1, 2, 1))
# call: remembered(jnp.arange(2.0), [])
# call: decayed(jnp.arange(3))
# call: decayed(jnp.arange(3), rate=0.5)
