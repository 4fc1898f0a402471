"""State as a tuple or list, some of it never touched."""
import jax
import jax.numpy as jnp


@jax.jit
def lotka(state, dt):
    for _ in range(20):
        prey, pred = state
        state = (prey + dt * prey * (1 - pred), pred + dt * pred * (prey - 1))
    return state


@jax.jit
def listed(state):
    for k in range(4):
        state[0] = state[0] + state[1]
        state[1] = state[1] * 0.5
    return state


def rolled(parts, n):
    for _ in range(n):
        parts = parts[1:] + parts[:1]
        parts = [p * 0.5 for p in parts]
    return parts


# call: lotka((jnp.float32(2.0), jnp.float32(1.0)), 0.05)
# call: lotka((2, 1), 0.05)
# call: listed([jnp.ones(2), jnp.ones(2)])
# call: listed([1, 2])
# call: rolled([jnp.ones(1), jnp.ones(2)], 3)
