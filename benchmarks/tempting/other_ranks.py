"""Functions that also serve arguments of one more axis, or scalars."""
import jax
import jax.numpy as jnp


@jax.jit
def looked_up(table, at):
    s = 0.0
    for i in range(at.shape[0]):
        s = s * 0.5 + table[at[i]]
    return s


@jax.jit
def ar2(noise, a, b):
    out = [noise[0], noise[1]]
    for i in range(2, noise.shape[0]):
        out.append(a * out[-1] + b * out[-2] + noise[i])
    return jnp.stack(out)


@jax.jit
def blended(frames, alpha):
    level = 0.0
    for f in frames:
        level = level * (1 - alpha) + f * alpha
    return level


@jax.jit
def counted(x, limit):
    n = 0
    for v in x:
        n = n + (v > limit)
    return n


# call: looked_up(jnp.arange(3.0), jnp.array([[0, 1], [1, 2]]))
# call: looked_up(jnp.arange(6).reshape(3, 2), jnp.array([0, -1]))
# call: ar2(jnp.array([1, 2, 3, 4]), 0.5, -0.3)
# call: ar2(jnp.ones((4, 2)), jnp.array([0.5, 0.25]), 1)
# call: ar2(jnp.ones(4), jnp.array([0.5, 0.25]), 1)
# call: blended(jnp.ones((3, 2)), jnp.array([[0.1], [0.2]]))
# call: blended(jnp.arange(3), 1)
# call: counted(jnp.ones((3, 2)), jnp.array([[0.0], [2.0], [5.0]]))
# call: counted(jnp.ones((0, 2)), 1)
