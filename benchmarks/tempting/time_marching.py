"""Solvers with an adaptive step and a hard limit on trips."""
import jax
import jax.numpy as jnp


def adaptive(y, t_end):
    t = 0.0
    h = 0.1
    n = 0
    while t < t_end and n < 200:
        full = y - h * y
        half = y - 0.5 * h * y
        half = half - 0.5 * h * half
        err = jnp.max(jnp.abs(full - half))
        if err < 1e-3:
            t = t + h
            y = half
            h = h * 1.5
        else:
            h = h * 0.5
        n = n + 1
    return y, t, n


@jax.jit
def pendulum(theta, omega):
    energy = []
    for k in range(30):
        omega = omega - 0.05 * jnp.sin(theta)
        theta = theta + 0.05 * omega
        energy.append(0.5 * omega**2 - jnp.cos(theta))
    return theta, omega, jnp.stack(energy)


# call: adaptive(jnp.array([1.0, 2.0]), 0.5)
# call: adaptive(jnp.array([1.0]), 0)
# call: adaptive(1.0, 0.3)
# call: pendulum(jnp.float32(1.0), 0)
# call: pendulum(jnp.array([1.0, 3.0]), jnp.zeros(2))
