"""A schedule in nanoseconds: Python ints far beyond 32 bits."""
import jax
import jax.numpy as jnp


@jax.jit
def windows(x):
    now = 1_700_000_000_000_000_000
    load = jnp.zeros(24)
    for i in range(10):
        now = now + 7_200_000_000_000
        hour = (now // 3_600_000_000_000) % 24
        load = load.at[hour].add(x[i % x.shape[0]])
    return load


def missed(deadline, period, x):
    late = jnp.float32(0)
    for i in range(x.shape[0]):
        deadline = deadline + period
        late = late + x[i] * ((deadline // 1000) % 7)
    return late, deadline


# call: windows(jnp.arange(4.0))
# call: missed(1_700_000_000_000, 16_666_667, jnp.arange(9.0))
# call: missed(5, -3, jnp.arange(4.0))
# call: missed(0, 2_147_483_647, jnp.ones(3))
