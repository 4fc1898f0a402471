"""A double pendulum, integrated with the classical Runge-Kutta method."""

import time

import jax
import jax.numpy as jnp


def acceleration(state):
    """The accelerations of two equal pendulums that hang from each other."""
    first, second, speed, other = state
    turn = first - second
    denominator = 3.0 - jnp.cos(2.0 * turn)
    pull = -3.0 * jnp.sin(first) - jnp.sin(first - 2.0 * second)
    swing = 2.0 * jnp.sin(turn) * (other**2 + speed**2 * jnp.cos(turn))
    back = 2.0 * jnp.sin(turn) * (2.0 * speed**2 + 2.0 * jnp.cos(first) + other**2 * jnp.cos(turn))
    return jnp.stack([speed, other, (pull - swing) / denominator, back / denominator])


@jax.jit
def simulate(state):
    """The angle of the lower pendulum after each step of a hundredth of a second."""
    dt = 0.01
    angles = []
    for _ in range(40):
        k1 = acceleration(state)
        k2 = acceleration(state + 0.5 * dt * k1)
        k3 = acceleration(state + 0.5 * dt * k2)
        k4 = acceleration(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        angles.append(state[1])
    return jnp.stack(angles)


if __name__ == "__main__":
    begin = time.perf_counter()
    lowered = simulate.lower(jnp.array([1.0, 1.5, 0.0, 0.0]))
    traced = time.perf_counter()
    lowered.compile()
    print(f"traced in {traced - begin:.2f} s, compiled in {time.perf_counter() - traced:.2f} s")
