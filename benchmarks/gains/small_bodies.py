"""Five jitted loops whose bodies are a few operations; `arguments` are what each is called with."""

import jax
import jax.numpy as jnp

TRIPS = 200


@jax.jit
def logistic(x: jax.Array):
    for _ in range(TRIPS):
        x = 3.7 * x * (1 - x)
    return x


@jax.jit
def oscillator(position: jax.Array, velocity: jax.Array):
    for _ in range(TRIPS):
        velocity = velocity - 0.01 * jnp.sin(position)
        position = position + 0.01 * velocity
    return position, velocity


@jax.jit
def smoothed(xs: jax.Array, rate: jax.Array):
    level, levels = xs[0], []
    for i in range(TRIPS):
        level = (1 - rate) * level + rate * xs[i]
        levels.append(level)
    return jnp.stack(levels)


@jax.jit
def kalman(xs: jax.Array, noise: jax.Array):
    mean, variance, means = jnp.zeros(()), jnp.ones(()), []
    for i in range(TRIPS):
        variance = variance + 0.1
        gain = variance / (variance + noise)
        mean = mean + gain * (xs[i] - mean)
        variance = (1 - gain) * variance
        means.append(mean)
    return jnp.stack(means)


@jax.jit
def recurrent(xs: jax.Array, state: jax.Array, weights: jax.Array):
    for i in range(TRIPS):
        state = jnp.tanh(weights @ state + xs[i])
    return state


def arguments():
    keys = jax.random.split(jax.random.key(0), 4)
    xs = jax.random.normal(keys[0], (TRIPS,))
    return {
        "logistic": (jnp.array(0.4),),
        "oscillator": (jnp.linspace(0.0, 1.0, 1024), jnp.zeros(1024)),
        "smoothed": (xs, jnp.array(0.2)),
        "kalman": (xs, jnp.array(0.5)),
        "recurrent": (
            jax.random.normal(keys[1], (TRIPS, 64)),
            jnp.zeros(64),
            jax.random.normal(keys[2], (64, 64)) / 8,
        ),
    }
