"""A dataclass that is updated in place or replaced."""
import dataclasses

import jax
import jax.numpy as jnp


@dataclasses.dataclass
class Particle:
    pos: jax.Array
    vel: jax.Array
    age: int = 0


def flown(pos, vel, steps):
    p = Particle(pos, vel)
    for _ in range(steps):
        p.vel = p.vel - 0.1 * p.pos
        p.pos = p.pos + 0.1 * p.vel
        p.age += 1
    return p.pos, p.vel, p.age


def replaced(pos, vel):
    p = Particle(pos, vel)
    for _ in range(5):
        p = dataclasses.replace(p, pos=p.pos + p.vel, age=p.age + 1)
    return p.pos, p.age


# call: flown(jnp.ones(2), jnp.zeros(2), 5)
# call: flown(1, 0, 5)
# call: flown(jnp.ones(2), jnp.zeros(2), 0)
# call: replaced(jnp.array([1, 2]), jnp.array([0.5, 0.5]))
